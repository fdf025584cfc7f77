"""Parses cases of kind `json` with json_repair: repairs the reply and looks up the key."""

from json_repair import loads
from serving import serve, verdict_of

serve(lambda case: verdict_of(loads, case))
