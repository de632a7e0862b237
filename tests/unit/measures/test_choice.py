"""The key `loss`: what is accepted, and what each mistake is answered with."""

from typing import Any

import pytest

from heldout.errors import HeldoutError
from heldout.measures.choice import classification_of, loss_spec
from heldout.measures.registry import LOSSES, SAME_AS_SCORER, plain_names
from heldout.measures.score_registry import OTHERS, SAME, SCORES
from heldout.measures.scorer_names import SCORERS
from heldout.measures.spec import LossSpec

WHERE = "tasks.t.loss"
COSTS = {"yes": {"no": 5}, "no": {"yes": 1}}

GOOD: dict[str, tuple[Any, LossSpec | None, bool | None]] = {
    "none": (None, None, None),
    "a name": ("brier", LossSpec("brier"), True),
    "costs": ({"costs": COSTS}, LossSpec("costs", {"costs": COSTS}), True),
    "a quantile": ({"quantile": 0.9}, LossSpec("quantile", {"quantile": 0.9}), False),
    "a function": (
        {"function": "sklearn.metrics.log_loss", "needs": "proba", "bound": 2},
        LossSpec("sklearn.metrics.log_loss", {"needs": "proba", "bound": 2}),
        True,
    ),
}


@pytest.mark.parametrize(("given", "spec", "classification"), GOOD.values(), ids=GOOD)
def test_what_is_accepted(given: Any, spec: LossSpec | None, classification: bool | None) -> None:
    assert loss_spec(given, WHERE) == spec
    assert classification_of(given) is classification


BAD: dict[str, tuple[Any, str]] = {
    "a typo": ("sqared", "unknown loss 'sqared'; did you mean 'squared'?"),
    "a typo of a scorer": ("roc_acu", "unknown loss 'roc_acu'; did you mean 'roc_auc'?"),
    "several labels at once": ("f1_samples", "'f1_samples' is for targets with several labels"),
    "a score without its number": ("fbeta", "'fbeta' needs its number"),
    "costs without numbers": ("costs", "'costs' needs its numbers"),
    "no such module": ("no_such_module.loss", "no module 'no_such_module'"),
    "a number": (3, "should be a name or a mapping, found 3"),
    "an empty mapping": ({}, "should be a name or a mapping"),
    "an unknown key": ({"cost": COSTS}, "unknown key 'cost'; did you mean 'costs'?"),
    "two keys": ({"quantile": 0.5, "costs": COSTS}, "unknown key 'costs'"),
    "costs of one class": ({"costs": {"yes": 5}}, "tasks.t.loss.costs: should be true class"),
    "a negative cost": ({"costs": {"a": {"b": -1}}}, "loss.costs.a.b: should be at least 0"),
    "a cost that is a text": ({"costs": {"a": {"b": "x"}}}, "costs.a.b: should be a number"),
    "an endless cost": ({"costs": {"a": {"b": float("inf")}}}, "costs.a.b: should be at least 0"),
    "no cost at all": ({"costs": {"a": {"b": 0}}}, "no error costs anything"),
    "a quantile of one": ({"quantile": 1}, "loss.quantile: should be between 0 and 1, found 1"),
    "a quantile of zero": ({"quantile": 0}, "loss.quantile: should be between 0 and 1, found 0"),
    "a quantile that is a truth": ({"quantile": True}, "should be a number, found True"),
    "no import path": ({"function": "loss"}, "loss.function: should be an import path"),
    "an unknown need": (
        {"function": "numpy.subtract", "needs": "labels"},
        "loss.needs: should be label, proba or value, found 'labels'",
    ),
    "a bound of zero": (
        {"function": "numpy.subtract", "bound": 0},
        "loss.bound: should be above 0",
    ),
    "no truth": (
        {"function": "numpy.subtract", "greater_is_better": 1},
        "loss.greater_is_better: should be true or false",
    ),
    "an unknown key of a function": (
        {"function": "numpy.subtract", "need": "value"},
        "unknown key 'need'; did you mean 'needs'?",
    ),
}


@pytest.mark.parametrize(("given", "message"), BAD.values(), ids=BAD)
def test_what_is_refused(given: Any, message: str) -> None:
    with pytest.raises(HeldoutError, match=r"^tasks\.t\.loss") as error:
        loss_spec(given, WHERE)
    assert message in str(error.value)


def test_the_code_of_a_function_is_in_its_spec(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "my_losses.py"
    found = []
    for text in ("def f(y, p): return y - p\n", "def f(y, p): return p - y\n"):
        file.write_text(text)
        found.append(loss_spec("my_losses.f", WHERE))
    assert found[0] != found[1]


def test_names_of_scorers_and_losses_are_told_apart() -> None:
    assert set(SAME) <= set(SCORERS)
    assert set(SAME.values()) <= set(plain_names())
    assert set(SCORERS) & set(LOSSES) == set(SAME_AS_SCORER)
    assert not set(SCORES) & set(LOSSES)


def test_every_scorer_is_a_score_a_loss_or_refused() -> None:
    for name in SCORERS:
        if name.endswith("_samples"):
            with pytest.raises(HeldoutError, match="several labels at once"):
                loss_spec(name, WHERE)
        else:
            assert loss_spec(name, WHERE) == LossSpec(name)
            assert sum(name in known for known in (SAME, OTHERS, SCORES, LOSSES)) == 1
