"""Parses cases of kind `json` with DeepEval's `trimAndLoadJson`, used for judges that are called without a schema."""

from deepeval.metrics.utils.generation import trimAndLoadJson
from serving import serve, verdict_of

serve(lambda case: verdict_of(trimAndLoadJson, case))
