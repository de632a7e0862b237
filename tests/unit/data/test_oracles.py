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
from heldout.measures.registry import LOSSES, plain_names
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
    others = len(oracle.classes) - 1
    proba = np.column_stack([yes, *[(1 - yes) / others] * others])[:, ::-1]
    return Predictions(label=proba.argmax(axis=1), proba=proba)


def near(values: np.ndarray, truth: float) -> bool:
    """Within four standard errors."""
    return abs(values.mean() - truth) <= 4 * values.std() / np.sqrt(len(values)) + 1e-12


@pytest.mark.parametrize(
    ("name", "given"), [*((name, {}) for name in ORACLES), ("gaussian_linear", {"tails": 4})]
)
def test_expected_losses_are_the_mean_of_losses(name: str, given: dict[str, Any]) -> None:
    oracle = make(name, **given)
    rows, target = oracle.draw(SAMPLE // 4, np.random.default_rng(1))
    for loss in map(LOSSES.__getitem__, plain_names()):
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
    assert len(oracle.levels) == oracle.features


@pytest.mark.parametrize("name", list(ORACLES))
def test_the_catalogue_says_what_the_oracle_is(name: str) -> None:
    entry, oracle = oracle_catalogue.ORACLES[name], make(name)
    assert entry.classification == (oracle.classes is not None)
    assert entry.groups == oracle.grouped
    assert list(ORACLES) == list(oracle_catalogue.ORACLES)
    assert oracle.classes == (oracle.classes and sorted(oracle.classes)), "as a table is read"


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


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("name", ["gaussian_linear", "grouped_linear"])
def test_closed_form_with_heavy_tails_and_with_groups(name: str, loss: str) -> None:
    given: dict[str, Any] = {"gaussian_linear": {"tails": 5}, "grouped_linear": {"group_size": 2}}
    oracle = make(name, features=3, noise=1.3, **given[name])
    rows, target = oracle.draw(SAMPLE, np.random.default_rng(12))
    weights = np.array([0.2, -0.4, 1.0])
    losses = LOSSES[loss](target, Predictions(value=rows @ weights + 0.5))
    known = oracle.affine_risk(LOSSES[loss], weights, 0.5)
    assert known is not None
    by_group = losses.reshape(-1, 2).mean(axis=1) if oracle.grouped else losses
    assert near(by_group, known)


def test_tails_keep_the_variance_and_become_gaussian() -> None:
    heavy: Any = make("gaussian_linear", noise=2.0, tails=6)
    rows, target = heavy.draw(SAMPLE, np.random.default_rng(13))
    errors = target - heavy.known(rows)
    assert near(errors**2, 4.0)
    assert (errors**4).mean() / 16 > 4, "kurtosis 6 instead of 3"
    nearly, normal = make("gaussian_linear", tails=1e7), make("gaussian_linear")
    risks = [one.affine_risk(LOSSES["absolute"], np.ones(5), 0.3) for one in (nearly, normal)]
    assert risks[0] == pytest.approx(risks[1], abs=1e-6)


def test_bayes_risk_of_classes_on_a_circle() -> None:
    """Four classes are a square: right if both coordinates along its sides are, Φ(distance/2)²."""
    oracle = make("gaussian_classes", features=3, classes=4, distance=2.0)
    rows, target = oracle.draw(SAMPLE, np.random.default_rng(14))
    losses = LOSSES["zero_one"](target, oracle.best(rows))
    assert near(losses, 1 - 0.841345**2)
    assert oracle.classes == ["c1", "c2", "c3", "c4"]
    two = make("gaussian_classes", classes=2), make("two_gaussians")
    shares = [one.known(rows[:, :2]) for one in two]
    assert np.allclose(shares[0][:, 0], shares[1][:, 1]), "the first class lies to the right"


def test_levels_of_categories() -> None:
    oracle: Any = make("categories", features=2, levels=11, skew=1.0)
    rows, _ = oracle.draw(5000, np.random.default_rng(15))
    assert oracle.levels[0][:2] == ["v01", "v02"]
    assert set(np.unique(rows)) == set(range(11))
    counts = np.bincount(rows[:, 0].astype(int))
    assert counts[0] > 5 * counts[10]


def test_friedman_does_not_look_at_further_features() -> None:
    oracle = make("friedman", features=7)
    rows = np.random.default_rng(16).random((20, 7))
    other = rows.copy()
    other[:, 5:] = 0
    assert np.array_equal(oracle.known(rows), oracle.known(other))
    assert oracle.known(np.full((1, 7), 0.5))[0] == pytest.approx(10 * np.sin(np.pi / 4) + 7.5)


@pytest.mark.parametrize("name", ["grouped_linear", "grouped_classes"])
def test_losses_within_a_group_are_correlated(name: str) -> None:
    """So are features; the risk integrates over independent rows."""
    oracle = make(name, group_size=2, group_effect=2.0, between=0.6)
    rows, target = oracle.draw(20_000, np.random.default_rng(17))
    pairs = rows[:, 0].reshape(-1, 2)
    assert np.corrcoef(pairs.T)[0, 1] == pytest.approx(0.6, abs=0.03)
    loss = LOSSES["squared" if oracle.classes is None else "zero_one"]
    losses = loss(target, oracle.best(rows)).reshape(-1, 2)
    assert np.corrcoef(losses.T)[0, 1] > 0.1
    assert np.array_equal(oracle.units(5), [0, 0, 1, 1, 2])
    fresh = oracle.integration_rows(20_000, np.random.default_rng(18))[:, 0].reshape(-1, 2)
    assert abs(np.corrcoef(fresh.T)[0, 1]) < 0.04


def test_without_an_effect_groups_of_classes_are_a_logistic_model() -> None:
    oracle = make("grouped_classes", features=3, informative=1, strength=1.5, group_effect=0)
    rows = np.random.default_rng(19).normal(size=(50, 3))
    assert np.allclose(oracle.known(rows)[:, 1], 1 / (1 + np.exp(-1.5 * rows[:, 0])))


def test_moons_reach_into_each_other() -> None:
    oracle = make("two_moons", width=0.1)
    middle = oracle.known(np.array([[0.0, 1.0], [1.0, -0.5], [1.0, 0.0], [0.0, 0.5]]))[:, 1]
    assert middle.round(3).tolist() == [0, 1, 0, 1]


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


@pytest.mark.parametrize("loss", ["zero_one", "cross_entropy", "brier"])
@pytest.mark.parametrize("name", ["two_gaussians", "gaussian_classes", "categories"])
@pytest.mark.parametrize(("gross", "gain"), [(False, 2.0), (True, 1.0)])
def test_sampled_risks_are_right_and_precise(
    name: str, loss: str, gross: bool, gain: float
) -> None:
    """The excess over the best predictor varies less than the loss; much less without gross mistakes."""
    oracle = make(name)
    rows = oracle.integration_rows(2000, np.random.default_rng(20))
    known = oracle.known(rows)
    proba = 0.9 * known + 0.1 / known.shape[1]
    label = (known * np.linspace(1.2, 1, known.shape[1])).argmax(axis=1)
    said = Predictions(label=np.where(gross & (np.arange(2000) % 20 == 0), 0, label), proba=proba)
    risk = SampledProbe(oracle, rows).risk(LOSSES[loss], said)
    losses = oracle.expected_losses(LOSSES[loss], rows, said)
    plain = losses.std() / np.sqrt(len(losses))
    assert abs(risk.value - losses.mean()) <= 4 * plain
    assert risk.error < plain / gain


def test_the_best_risk_of_two_gaussians_is_known() -> None:
    value, error = make("two_gaussians").best_risk(LOSSES["zero_one"])
    assert abs(value - 0.158655) <= 4 * error
    assert 0 < error < 0.001


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
        ("gaussian_linear", {"tails": 2}, "above 2"),
        ("friedman", {"features": 4}, "at least 5"),
        ("gaussian_classes", {"classes": 1}, "at least 2"),
        ("grouped_linear", {"between": 1}, "below 1"),
        ("sparse_logistic", {"features": 4, "informative": 5}, "cannot be informative"),
    ],
)
def test_wrong_parameters_are_named(name: str, given: dict[str, Any], words: str) -> None:
    with pytest.raises(HeldoutError, match=words):
        make(name, **given)


def test_fewer_features_than_the_default_of_informative_ones() -> None:
    assert make("gaussian_linear", features=2).params["informative"] == 2
