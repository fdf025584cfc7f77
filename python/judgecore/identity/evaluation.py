"""``ScorerEvaluationIdentifier``: the part of a scorer's identity that affects its verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from judgecore.errors import IdentityError
from judgecore.hashing import content_hash
from judgecore.identity.component import SCRIPTS, without_none

if TYPE_CHECKING:
    from judgecore.identity.component import ComponentIdentifier

# PyRIT's rules: a target counts with its model and sampling parameters, not with its endpoint.
_TARGETS = frozenset({"prompt_target", "targets"})
_OF_A_TARGET = frozenset({"temperature", "top_p", "underlying_model_name"})
_MODEL, _MODEL_ELSE = "underlying_model_name", "model_name"
_WRAPPED = "targets"


@dataclass(frozen=True, repr=False)
class ScorerEvaluationIdentifier:
    """A scorer's identity for metrics.

    Two scorers with the same ``eval_hash`` give the same verdicts, so metrics of one are valid for the other. It covers
    the whole tree except ``attributes``. Children named ``prompt_target`` or ``targets`` count only with their class,
    ``temperature``, ``top_p`` and ``underlying_model_name`` (``model_name`` if that is missing or empty); one that
    wraps ``targets`` counts as the first of them. A list of one child counts as the child.

    Attributes:
        identifier: The scorer's identity.
        eval_hash: SHA-256 in 64 hex digits, equal to PyRIT's.

    Raises:
        IdentityError: If the code of a component has no unambiguous name, because it is defined in a script, a notebook
            or a function and has no version; the message names the component and the fix.

    Examples:
        >>> from judgecore import ComponentIdentifier, ScorerEvaluationIdentifier
        >>> def judged_by(endpoint):
        ...     target = ComponentIdentifier(
        ...         class_name="Target", class_module="m", params={"model_name": "gpt-4o", "endpoint": endpoint}
        ...     )
        ...     return ComponentIdentifier(class_name="Scorer", class_module="m", children={"prompt_target": target})
        >>> one, other = judged_by("https://one.example"), judged_by("https://other.example")
        >>> one.hash == other.hash
        False
        >>> ScorerEvaluationIdentifier(one).eval_hash == ScorerEvaluationIdentifier(other).eval_hash
        True
    """

    identifier: ComponentIdentifier = field(compare=False)
    eval_hash: str = field(init=False)

    def __post_init__(self) -> None:
        _refuse_unnamed(self.identifier)
        object.__setattr__(self, "eval_hash", _eval_hash(self.identifier))

    def __repr__(self) -> str:
        return f"ScorerEvaluationIdentifier({self.identifier!r}, eval_hash={self.eval_hash[:8]})"


def _refuse_unnamed(component: ComponentIdentifier) -> None:
    why = component.unnamed_code
    if why is None and component.class_module in SCRIPTS and component.params.get("version") is None:
        why = (
            "it is defined in a script or a notebook, where every module is named __main__; give it a version in its "
            "params"
        )
    if why is not None:
        raise IdentityError(f"{component.class_name} has no eval_hash, which metrics are stored under: {why}")
    for name in component.children:
        for child in component.children_of(name):
            _refuse_unnamed(child)


def _eval_hash(component: ComponentIdentifier, *, is_target: bool = False) -> str:
    params = _target_params(component) if is_target else without_none(component.params)
    hashed: dict[str, Any] = {"class_name": component.class_name, "class_module": component.class_module, **params}
    children: dict[str, Any] = {}
    for name in component.children:
        is_targets = name in _TARGETS
        each = component.children_of(name)
        if is_targets:
            each = [child.children_of(_WRAPPED)[0] if child.children_of(_WRAPPED) else child for child in each]
        hashes = [_eval_hash(child, is_target=is_targets) for child in each]
        children[name] = hashes[0] if len(hashes) == 1 else hashes
    if children:
        hashed["children"] = children
    return content_hash(hashed)


def _target_params(target: ComponentIdentifier) -> dict[str, Any]:
    params = {name: value for name, value in without_none(target.params).items() if name in _OF_A_TARGET}
    if params.get(_MODEL) in (None, ""):
        model = target.params.get(_MODEL_ELSE)
        if model not in (None, ""):
            params[_MODEL] = model
    return params
