"""Write your own scorer: a score, and the parameters that can change it."""

import asyncio

import judgecore as jc


class CitationScorer(jc.Scorer):
    """Scores the share of sentences that cite a source in brackets."""

    score_type = "float_scale"
    # The module name __main__ doesn't identify a script's code, so raise the version with each change.
    version = "1"

    def __init__(self, *, mark: str = "[") -> None:
        self.mark = mark

    def params(self) -> dict[str, str]:
        return {"mark": self.mark}

    async def score_async(self, response: jc.Response, *, trial: int = 0) -> list[jc.Score]:
        sentences = [one for one in (response.text or "").split(".") if one.strip()]
        if not sentences:
            return [self.make_undetermined("empty")]
        return [self.make_score(sum(self.mark in one for one in sentences) / len(sentences))]


async def main() -> None:
    scorer = CitationScorer()
    texts = ["Rain falls [1]. Grass grows.", "", "Snow melts [2]."]
    for text, scores in zip(texts, await scorer.score_batch_async(texts), strict=True):
        print(repr(text), "undetermined" if scores[0].is_undetermined else scores[0].get_value())
    print(jc.ScorerEvaluationIdentifier(scorer.get_identifier()).eval_hash[:16])


asyncio.run(main())
