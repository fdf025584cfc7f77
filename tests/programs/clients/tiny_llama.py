"""Write a tiny llama with random weights, whose tokens are single bytes: ``tiny_llama.py FILE``."""

from __future__ import annotations

import sys

import gguf
import numpy as np

WIDTH, HEADS, LAYERS, INNER, CONTEXT = 64, 4, 2, 128, 4096

chance = np.random.default_rng(0)
pieces = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), *map(chr, range(32, 127))]
kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL]
kinds += [gguf.TokenType.BYTE] * 256 + [gguf.TokenType.NORMAL] * 95

writer = gguf.GGUFWriter(sys.argv[1], "llama")
writer.add_name("tiny")
writer.add_context_length(CONTEXT)
writer.add_embedding_length(WIDTH)
writer.add_block_count(LAYERS)
writer.add_feed_forward_length(INNER)
writer.add_head_count(HEADS)
writer.add_head_count_kv(HEADS)
writer.add_rope_dimension_count(WIDTH // HEADS)
writer.add_layer_norm_rms_eps(1e-5)
writer.add_vocab_size(len(pieces))
writer.add_tokenizer_model("llama")
writer.add_token_list([piece.replace(" ", "\u2581") for piece in pieces])
writer.add_token_scores([0.0] * len(pieces))
writer.add_token_types(kinds)
writer.add_bos_token_id(1)
writer.add_eos_token_id(2)
writer.add_unk_token_id(0)


def add(name: str, *shape: int) -> None:
    """Add a tensor of small random numbers."""
    writer.add_tensor(name, chance.normal(0, 0.05, shape).astype(np.float32))


add("token_embd.weight", len(pieces), WIDTH)
for layer in range(LAYERS):
    for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
        add(f"blk.{layer}.{part}.weight", WIDTH, WIDTH)
    add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
    add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
    add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.add_tensor(f"blk.{layer}.attn_norm.weight", np.ones(WIDTH, np.float32))
    writer.add_tensor(f"blk.{layer}.ffn_norm.weight", np.ones(WIDTH, np.float32))
writer.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
add("output.weight", len(pieces), WIDTH)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.write_tensors_to_file()
writer.close()
