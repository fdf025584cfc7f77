"""Read and write tables of replies, responses and labels, in every supported file format."""
