"""Oracles: their draws, their closed forms, and the risks they know."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from heldout.audit.truth import AffineProbe, SampledProbe
from heldout.data import oracle_catalogue
from heldout.data.oracle import Oracle
from heldout.data.oracles import ORACLES, oracle_of
from heldout.errors import HeldoutError
from heldout.measures.losses import LOSSES
from heldout.predictions import Predictions

SAMPLE = 200_000


def make(name: str, **given: Any) -> Oracle:
    return oracle_of(name, oracle_catalogue.parameters(f"oracle:{name}", given, "tasks.t"))


def said_by(oracle: Oracle, rows: np.ndarray) -> Predictions:
    """Something that depends on x, and is neither right nor constant."""
    score = np.tanh(rows[:, 0] - 0.3)
    if oracle.classes is None:
        return Predictions(value=score)
    yes = (1 + 0.9 * score) / 2
    label = (yes > 0.5).astype(np.int64)
    return Predictions(label=label, proba=np.column_stack([1 - yes, yes]))


def near(values: np.ndarray, truth: float) -> bool:
    """Within four standard errors."""
    return abs(values.mean() - truth) <= 4 * values.std() / np.sqrt(len(values)) + 1e-12


@pytest.mark.parametrize("name", list(ORACLES))
def test_expected_losses_are_the_mean_of_losses(name: str) -> None:
    oracle = make(name)
    rows, target = oracle.draw(SAMPLE // 4, np.random.default_rng(1))
    for loss in LOSSES.values():
        if loss.classification == (oracle.classes is not None):
            for said in (said_by(oracle, rows), oracle.best(rows)):
                gaps = loss(target, said) - oracle.expected_losses(loss, rows, said)
                assert near(gaps, 0.0), loss.name


@pytest.mark.parametrize("name", list(ORACLES))
def test_draws_depend_on_the_seed_alone(name: str) -> None:
    oracle = make(name)
    first, again = (oracle.draw(30, np.random.default_rng(5)) for _ in range(2))
    other = oracle.draw(30, np.random.default_rng(6))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])
    assert first[0].shape == (30, oracle.features)


@pytest.mark.parametrize("correlation", [0.0, 0.6])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_closed_form_of_linear_predictors(correlation: float, loss: str) -> None:
    oracle = make("gaussian_linear", features=3, noise=0.7, correlation=correlation)
    rows, target = oracle.draw(SAMPLE, np.random.default_rng(2))
    weights = np.array([0.2, -0.4, 1.0])
    losses = LOSSES[loss](target, Predictions(value=rows @ weights + 0.5))
    known = oracle.affine_risk(LOSSES[loss], weights, 0.5)
    assert known is not None
    assert near(losses, known)


def test_the_best_linear_predictor_has_the_noise_as_its_risk() -> None:
    oracle: Any = make("gaussian_linear", noise=2.0, correlation=0.3)
    assert oracle.affine_risk(LOSSES["squared"], oracle.beta, 0.0) == pytest.approx(4.0)
    assert np.linalg.norm(oracle.beta) == pytest.approx(1.0)


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_closed_form_of_linear_rules(share: float) -> None:
    oracle = make("two_gaussians", features=3, share=share)
    rows, target = oracle.draw(SAMPLE, np.random.default_rng(3))
    weights = np.array([1.0, 0.5, -0.2])
    label = (rows @ weights + 0.3 > 0).astype(np.int64)
    known = oracle.affine_risk(LOSSES["zero_one"], weights, 0.3)
    assert known is not None
    assert near((label != target).astype(float), known)
    constant = oracle.affine_risk(LOSSES["zero_one"], np.zeros(3), -1.0)
    assert constant == pytest.approx(share)


def test_bayes_risk_of_two_gaussians() -> None:
    """Φ(−distance/2): about 15.9 % at distance 2."""
    oracle = make("two_gaussians")
    risk = oracle.affine_risk(LOSSES["zero_one"], np.array([1.0, 0.0]), 0.0)
    assert risk == pytest.approx(0.158655, abs=1e-6)


def test_on_noise_every_classifier_errs_half_the_time() -> None:
    oracle = make("noise")
    rows = oracle.integration_rows(500, np.random.default_rng(4))
    probe = SampledProbe(oracle, rows)
    risk = probe.risk(LOSSES["zero_one"], said_by(oracle, rows))
    assert risk == (0.5, 0.0)


def test_affine_probe_finds_the_coefficients() -> None:
    oracle = make("gaussian_linear", features=4)
    rows, target = oracle.draw(60, np.random.default_rng(7))
    model = Ridge(alpha=3.0).fit(rows, target)
    probe = AffineProbe(oracle)
    said = Predictions(value=model.predict(probe.features))
    known = oracle.affine_risk(LOSSES["squared"], model.coef_, float(model.intercept_))
    assert probe.risk(LOSSES["squared"], said).value == pytest.approx(known)


def test_affine_probe_of_a_classifier_agrees_with_a_sample() -> None:
    oracle = make("two_gaussians", features=3)
    rows, target = oracle.draw(80, np.random.default_rng(8))
    model = LogisticRegression().fit(rows, target)
    fresh, truth = oracle.draw(SAMPLE, np.random.default_rng(9))
    probe = AffineProbe(oracle)
    predictions = Predictions(decision=model.decision_function(probe.features))
    exact = probe.risk(LOSSES["zero_one"], predictions)
    assert near((model.predict(fresh) != truth).astype(float), exact.value)


def test_polynomial_risk_is_integrated_to_six_digits() -> None:
    """∫(x³)²/2 over [−1, 1] is 1/7: the risk of predicting 0 for y = x³ + noise."""
    oracle = make("polynomial", coefficients=[0, 0, 0, 1], noise=0.5)
    rows = oracle.integration_rows(2000, np.random.default_rng(0))
    said = Predictions(value=np.zeros(2000))
    risk = SampledProbe(oracle, rows).risk(LOSSES["squared"], said)
    assert risk.value == pytest.approx(1 / 7 + 0.25, abs=1e-6)
    assert risk.error == 0


def test_label_noise_is_the_floor_of_a_mixture() -> None:
    oracle: Any = make("mixture", label_noise=0.2)
    shares = oracle.share_of_yes(oracle.integration_rows(2000, np.random.default_rng(1)))
    assert shares.min() >= 0.2 - 1e-12
    assert shares.max() <= 0.8 + 1e-12


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("gaussian_liner", {}, "did you mean 'gaussian_linear'"),
        ("noise", {"feature": 3}, "did you mean 'features'"),
        ("noise", {"features": 0}, "at least 1"),
        ("noise", {"share": 1.2}, "below 1"),
        ("noise", {"share": 0}, "above 0"),
        ("polynomial", {"coefficients": 3}, "list of numbers"),
        ("gaussian_linear", {"noise": "much"}, "expected a number"),
        ("sparse_logistic", {"features": 4, "informative": 5}, "cannot be informative"),
    ],
)
def test_wrong_parameters_are_named(name: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(HeldoutError, match=words):
        make(name, **given)


def test_fewer_features_than_the_default_of_informative_ones() -> None:
    assert make("gaussian_linear", features=2).params["informative"] == 2
