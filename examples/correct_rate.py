"""Correct a pass rate for the errors of the judge that measured it."""

from judgecore import stats

# The judge passed 620 of 1,000 responses.
VERDICTS = [1] * 620 + [0] * 380
# People labelled 120 of the judged responses: 60 passes, 54 of them found by the judge, and 60 failures, 48 found.
PEOPLE = [1] * 60 + [0] * 60
JUDGED = [1] * 54 + [0] * 6 + [1] * 12 + [0] * 48

found = stats.rogan_gladen(VERDICTS, PEOPLE, JUDGED)
print(f"judge: {found.raw_rate:.2f}")
print(f"corrected: {found.estimate:.2f}, 95 % interval {found.interval.low:.2f} to {found.interval.high:.2f}")
