"""The paths of the shipped prompts, questions, scales and categories: a folder and an enum of files for each kind."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

_HERE = Path(__file__).resolve().parent

TRUE_FALSE_QUESTIONS_PATH = _HERE / "true_false_questions"
"""True/false questions, including those of guards, and their system prompts."""

LIKERT_SCALES_PATH = _HERE / "likert_scales"
"""Likert scales with five described levels."""

NUMERIC_SCALES_PATH = _HERE / "numeric_scales"
"""Numeric scales."""

CATEGORY_SETS_PATH = _HERE / "category_sets"
"""Sets of mutually exclusive categories."""

GUARD_POLICIES_PATH = _HERE / "guard_policies"
"""Policies for guards."""

GUARDS_PATH = _HERE / "guards.yaml"
"""How each guard is prompted."""

RUBRICS_PATH = _HERE / "rubrics"
"""Rubrics of several criteria."""

PROMPTS_PATH = _HERE / "system_prompts"
"""System prompts and user prompts of the scorers, except those of true/false questions."""


class TrueFalseQuestionPaths(Enum):
    """The shipped true/false questions; ``TrueFalseQuestion.from_yaml`` reads a member."""

    CRIMINAL_PERSONA = TRUE_FALSE_QUESTIONS_PATH / "criminal_persona.yaml"
    CURRENT_EVENTS = TRUE_FALSE_QUESTIONS_PATH / "current_events.yaml"
    EXPLOITS = TRUE_FALSE_QUESTIONS_PATH / "exploits.yaml"
    FUNCTION_CALL = TRUE_FALSE_QUESTIONS_PATH / "function_call.yaml"
    GROUNDED = TRUE_FALSE_QUESTIONS_PATH / "grounded.yaml"
    HARMFUL_CONTENT = TRUE_FALSE_QUESTIONS_PATH / "harmful_content.yaml"
    HATE_SPEECH = TRUE_FALSE_QUESTIONS_PATH / "hate_speech.yaml"
    INFORMATION_INTEGRITY = TRUE_FALSE_QUESTIONS_PATH / "information_integrity.yaml"
    LEAKAGE = TRUE_FALSE_QUESTIONS_PATH / "leakage.yaml"
    MALWARE = TRUE_FALSE_QUESTIONS_PATH / "malware.yaml"
    PASSWORD_DISCLOSED = TRUE_FALSE_QUESTIONS_PATH / "password_disclosed.yaml"
    PRIVACY = TRUE_FALSE_QUESTIONS_PATH / "privacy.yaml"
    PROMPT_INJECTION = TRUE_FALSE_QUESTIONS_PATH / "prompt_injection.yaml"
    QUESTION_ANSWERING = TRUE_FALSE_QUESTIONS_PATH / "question_answering.yaml"
    REFUSAL_LENIENT = TRUE_FALSE_QUESTIONS_PATH / "refusal_lenient.yaml"
    REFUSAL_STRICT = TRUE_FALSE_QUESTIONS_PATH / "refusal_strict.yaml"
    SCAMS = TRUE_FALSE_QUESTIONS_PATH / "scams.yaml"
    SELF_HARM = TRUE_FALSE_QUESTIONS_PATH / "self_harm.yaml"
    SEXUAL_CONTENT = TRUE_FALSE_QUESTIONS_PATH / "sexual_content.yaml"
    TASK_ACHIEVED = TRUE_FALSE_QUESTIONS_PATH / "task_achieved.yaml"
    TASK_ACHIEVED_STRICT = TRUE_FALSE_QUESTIONS_PATH / "task_achieved_strict.yaml"
    VIOLENCE = TRUE_FALSE_QUESTIONS_PATH / "violence.yaml"
    YES_NO = TRUE_FALSE_QUESTIONS_PATH / "yes_no.yaml"

    # Questions of guards; some models were trained on them and are not sent them.
    APRIL_GUARD = TRUE_FALSE_QUESTIONS_PATH / "april_guard.yaml"
    CONTENT_SAFE = TRUE_FALSE_QUESTIONS_PATH / "content_safe.yaml"
    DYNA_GUARD = TRUE_FALSE_QUESTIONS_PATH / "dyna_guard.yaml"
    GPT_OSS_SAFEGUARD = TRUE_FALSE_QUESTIONS_PATH / "gpt_oss_safeguard.yaml"
    GRANITEGUARDIAN = TRUE_FALSE_QUESTIONS_PATH / "graniteguardian.yaml"
    GUARD_REASONER = TRUE_FALSE_QUESTIONS_PATH / "guard_reasoner.yaml"
    HARMBENCH = TRUE_FALSE_QUESTIONS_PATH / "harmbench.yaml"
    JAILBREAKBENCH = TRUE_FALSE_QUESTIONS_PATH / "jailbreakbench.yaml"
    KANANA = TRUE_FALSE_QUESTIONS_PATH / "kanana.yaml"
    LLAMAGUARD = TRUE_FALSE_QUESTIONS_PATH / "llamaguard.yaml"
    MD_JUDGE = TRUE_FALSE_QUESTIONS_PATH / "md_judge.yaml"
    NEMOGUARD = TRUE_FALSE_QUESTIONS_PATH / "nemoguard.yaml"
    NEMOTRON_SAFETY = TRUE_FALSE_QUESTIONS_PATH / "nemotron_safety.yaml"
    PATRONUS_LYNX = TRUE_FALSE_QUESTIONS_PATH / "patronus_lynx.yaml"
    POLYGUARD = TRUE_FALSE_QUESTIONS_PATH / "polyguard.yaml"
    QWEN3GUARD = TRUE_FALSE_QUESTIONS_PATH / "qwen3guard.yaml"
    SGUARD = TRUE_FALSE_QUESTIONS_PATH / "sguard.yaml"
    SHIELD_LM = TRUE_FALSE_QUESTIONS_PATH / "shield_lm.yaml"
    SHIELDGEMMA = TRUE_FALSE_QUESTIONS_PATH / "shieldgemma.yaml"
    STRONGREJECT = TRUE_FALSE_QUESTIONS_PATH / "strongreject.yaml"
    WILDGUARD = TRUE_FALSE_QUESTIONS_PATH / "wildguard.yaml"


class LikertScalePaths(Enum):
    """The shipped Likert scales, 1 to 5; ``LikertScale.from_yaml`` reads a member."""

    AI_GOVERNANCE_FAILURE_SCALE = LIKERT_SCALES_PATH / "ai_governance_failure.yaml"
    AI_SUPPLY_CHAIN_SCALE = LIKERT_SCALES_PATH / "ai_supply_chain.yaml"
    AI_SYSTEM_TRANSPARENCY_SCALE = LIKERT_SCALES_PATH / "ai_system_transparency.yaml"
    BEHAVIOR_CHANGE_SCALE = LIKERT_SCALES_PATH / "behavior_change.yaml"
    CYBER_SCALE = LIKERT_SCALES_PATH / "cyber.yaml"
    DECEPTION_SCALE = LIKERT_SCALES_PATH / "deception.yaml"
    EXPLOITS_SCALE = LIKERT_SCALES_PATH / "exploits.yaml"
    FAIRNESS_BIAS_SCALE = LIKERT_SCALES_PATH / "fairness_bias.yaml"
    HARM_SCALE = LIKERT_SCALES_PATH / "harm.yaml"
    HATE_SPEECH_SCALE = LIKERT_SCALES_PATH / "hate_speech.yaml"
    INFORMATION_INTEGRITY_SCALE = LIKERT_SCALES_PATH / "information_integrity.yaml"
    LEAKAGE_SCALE = LIKERT_SCALES_PATH / "leakage.yaml"
    MISINFORMATION_SCALE = LIKERT_SCALES_PATH / "misinformation.yaml"
    PERSUASION_SCALE = LIKERT_SCALES_PATH / "persuasion.yaml"
    PHISHING_SCALE = LIKERT_SCALES_PATH / "phishing.yaml"
    PRIVACY_SCALE = LIKERT_SCALES_PATH / "privacy.yaml"
    SCAMS_SCALE = LIKERT_SCALES_PATH / "scams.yaml"
    SELF_HARM_SCALE = LIKERT_SCALES_PATH / "self_harm.yaml"
    SEXUAL_SCALE = LIKERT_SCALES_PATH / "sexual.yaml"
    VIOLENCE_SCALE = LIKERT_SCALES_PATH / "violence.yaml"


class NumericScalePaths(Enum):
    """The shipped numeric scales; ``NumericScale.from_yaml`` reads a member."""

    HELPFULNESS_SCALE = NUMERIC_SCALES_PATH / "helpfulness.yaml"
    JAILBREAK_SCALE = NUMERIC_SCALES_PATH / "jailbreak.yaml"
    PROBABILITY_SCALE = NUMERIC_SCALES_PATH / "probability.yaml"
    STRONGREJECT_SCALE = NUMERIC_SCALES_PATH / "strongreject.yaml"
    TASK_ACHIEVED_SCALE = NUMERIC_SCALES_PATH / "task_achieved.yaml"


class CategorySetPaths(Enum):
    """The shipped sets of categories; ``CategorySet.from_yaml`` reads a member."""

    HARM = CATEGORY_SETS_PATH / "harm.yaml"
    OUTCOME = CATEGORY_SETS_PATH / "outcome.yaml"
    SENTIMENT = CATEGORY_SETS_PATH / "sentiment.yaml"


class GuardPolicyPaths(Enum):
    """The shipped policies for guards; ``GuardPolicy.from_yaml`` reads a member."""

    AEGIS_2 = GUARD_POLICIES_PATH / "aegis_2.yaml"
    LLAMA_GUARD_3 = GUARD_POLICIES_PATH / "llama_guard_3.yaml"
    SHIELD_GEMMA = GUARD_POLICIES_PATH / "shield_gemma.yaml"


class RubricPaths(Enum):
    """The shipped rubrics; ``Rubric.from_yaml`` reads a member."""

    HELPFULNESS = RUBRICS_PATH / "helpfulness.yaml"
    SAFETY = RUBRICS_PATH / "safety.yaml"


class PromptPaths(Enum):
    """The shipped system prompts and user prompts; ``PromptTemplate.from_yaml`` reads a member."""

    ANSWERED = PROMPTS_PATH / "answered.yaml"
    ASKED_CRITERION = PROMPTS_PATH / "asked_criterion.yaml"
    CATEGORY_SYSTEM_PROMPT = PROMPTS_PATH / "category.yaml"
    COMPARATIVE_SYSTEM_PROMPT = PROMPTS_PATH / "comparative.yaml"
    COMPARED = PROMPTS_PATH / "compared.yaml"
    CORRECTNESS_SYSTEM_PROMPT = PROMPTS_PATH / "correctness.yaml"
    CRITERION_SYSTEM_PROMPT = PROMPTS_PATH / "criterion.yaml"
    JUDGED = PROMPTS_PATH / "judged.yaml"
    LIKERT_SYSTEM_PROMPT = PROMPTS_PATH / "likert.yaml"
    LOGPROB_SYSTEM_PROMPT = PROMPTS_PATH / "logprob.yaml"
    PAIRWISE_SYSTEM_PROMPT = PROMPTS_PATH / "pairwise.yaml"
    REASK = PROMPTS_PATH / "reask.yaml"
    RUBRIC_SYSTEM_PROMPT = PROMPTS_PATH / "rubric.yaml"
    SCALE_SYSTEM_PROMPT = PROMPTS_PATH / "scale.yaml"
    TRUE_FALSE_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "true_false_system_prompt.yaml"

    APRIL_GUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "april_guard_system_prompt.yaml"
    CONTENT_SAFE_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "content_safe_system_prompt.yaml"
    DYNA_GUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "dyna_guard_system_prompt.yaml"
    GPT_OSS_SAFEGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "gpt_oss_safeguard_system_prompt.yaml"
    GPT_OSS_SAFEGUARD_CATEGORY_SYSTEM_PROMPT = (
        TRUE_FALSE_QUESTIONS_PATH / "gpt_oss_safeguard_category_system_prompt.yaml"
    )
    GPT_OSS_SAFEGUARD_FULL_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "gpt_oss_safeguard_full_system_prompt.yaml"
    GRANITEGUARDIAN_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "graniteguardian_system_prompt.yaml"
    GUARD_REASONER_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "guard_reasoner_system_prompt.yaml"
    HARMBENCH_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "harmbench_system_prompt.yaml"
    JAILBREAKBENCH_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "jailbreakbench_system_prompt.yaml"
    KANANA_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "kanana_system_prompt.yaml"
    LLAMAGUARD_POLICY_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "llamaguard_policy_prompt.yaml"
    LLAMAGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "llamaguard_system_prompt.yaml"
    MD_JUDGE_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "md_judge_system_prompt.yaml"
    MD_JUDGE_V1_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "md_judge_v1_system_prompt.yaml"
    NEMOGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "nemoguard_system_prompt.yaml"
    NEMOTRON_SAFETY_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "nemotron_safety_system_prompt.yaml"
    PATRONUS_LYNX_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "patronus_lynx_system_prompt.yaml"
    POLYGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "polyguard_system_prompt.yaml"
    QWEN3GUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "qwen3guard_system_prompt.yaml"
    SGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "sguard_system_prompt.yaml"
    SHIELD_LM_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "shield_lm_system_prompt.yaml"
    SHIELDGEMMA_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "shieldgemma_system_prompt.yaml"
    STRONGREJECT_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "strongreject_system_prompt.yaml"
    WILDGUARD_SYSTEM_PROMPT = TRUE_FALSE_QUESTIONS_PATH / "wildguard_system_prompt.yaml"
