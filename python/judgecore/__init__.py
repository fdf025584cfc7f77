from judgecore._core import *
from judgecore._core import Format, Reading, Unreadable, Readings, GuardVerdict, Repair, ResponseParser, parse, parse_many, formats
