"""Correct a pass rate for the errors of the judge that measured it."""

from judgecore import stats

# The judge said "pass" of 620 responses out of 1,000.
VERDICTS = [1] * 620 + [0] * 380
# People labelled 120 responses that the judge saw too: 60 passes, of which it found 54, and 60 failures, 48 found.
PEOPLE = [1] * 60 + [0] * 60
JUDGED = [1] * 54 + [0] * 6 + [1] * 12 + [0] * 48

found = stats.rogan_gladen(VERDICTS, PEOPLE, JUDGED)
print(f"the judge says {found.raw_rate:.2f}")
print(f"corrected {found.estimate:.2f}, from {found.interval.low:.2f} to {found.interval.high:.2f} with 95 %")
