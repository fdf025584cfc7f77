"""The page of ``judgecore view``: rows of an output with their evidence, filters and a spot check."""
