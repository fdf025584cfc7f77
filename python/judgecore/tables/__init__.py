"""Tables of replies, responses and labels: every kind of file that a command reads or writes."""
