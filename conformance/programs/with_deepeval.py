"""Reads cases of kind `json` as DeepEval reads a judge that isn't called with a schema, by its `trimAndLoadJson`."""

from deepeval.metrics.utils.generation import trimAndLoadJson
from serving import serve, verdict_of

serve(lambda case: verdict_of(trimAndLoadJson, case))
