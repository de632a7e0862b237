"""Where forests are not planted but fitted by scikit-learn: other parameters, other versions."""

import copy
import sys
from typing import Any

import numpy as np
import pytest
from forests import assert_exact, assert_same, plain
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from heldout.numerics.sklearn_internals import forest_builder, forest_nodes
from heldout.numerics.sklearn_internals.forest_builder import Nursery


@pytest.fixture(autouse=True)
def _nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest_builder, "_exact", {})


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of rows on which forests were compared."""
    sizes: list[int] = []
    agrees = forest_builder._agrees
    monkeypatch.setattr(forest_builder, "_agrees", lambda *a: sizes.append(len(a[1])) or agrees(*a))
    return sizes


# --- what planting does not know ----------------------------------------------------------------


@pytest.fixture
def _no_planting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even to compare."""
    monkeypatch.setattr(Nursery, "_is_exact", lambda *_: pytest.fail("would be planted"))


@pytest.mark.usefixtures("_no_planting")
@pytest.mark.parametrize(
    "given",
    [
        {"ccp_alpha": 0.01},
        {"monotonic_cst": np.array([1, 0, 0, 0, 0, 0, 0])},
        {"oob_score": True},
        {"n_jobs": 1},
        {"warm_start": True},
        {"verbose": 1},
        {"n_estimators": 2},
        {"random_state": np.random.RandomState(0)},
    ],
    ids=lambda given: next(iter(given)),
)
def test_other_parameters_get_scikit_learns_own_fit(given: dict[str, Any]) -> None:
    features, target = plain(True)
    rows = features, (target > 0).astype(int)
    model = RandomForestClassifier(**{"random_state": 0, "n_estimators": 30, **given})
    expected = copy.deepcopy(model).fit(*rows)
    ours = Nursery(*rows).fit(model, {})
    assert_same(ours.estimators_, expected.estimators_)
    assert list(vars(ours)) == list(vars(expected))


@pytest.mark.usefixtures("_no_planting")
def test_other_models_and_tables_get_scikit_learns_own_fit() -> None:
    class Mine(RandomForestClassifier):
        pass

    features, target = plain(True)
    model = RandomForestClassifier(5, random_state=0)
    mine = Nursery(features, target).fit(Mine(5, random_state=0), {})
    assert_same(mine.estimators_, copy.copy(model).fit(features, target).estimators_)
    gaps = np.where(features > 1, np.nan, features)
    for rows in [(gaps, target), (features, np.column_stack([target, target]))]:
        assert_same(Nursery(*rows).fit(model, {}), copy.copy(model).fit(*rows))
    with pytest.raises(ValueError, match="infinity"):
        Nursery(np.where(features > 1, np.inf, features), target).fit(model, {})


# --- another scikit-learn -----------------------------------------------------------------------


def _other_nodes(splitter: Any, split: int, *rest: Any) -> Any:
    return DEPTH_FIRST(splitter, max(9, split), *rest)


def _other_draws(*given: Any) -> np.ndarray:
    return DRAWN(*given) // 2


def _other_seeds(soil: forest_nodes.Soil, count: int) -> list[int]:
    """The first is right, and the others are not."""
    return [SEEDS(soil, 1)[0], *range(1, count)]


def _other_attributes(model: Any) -> dict[str, Any]:
    return PARAMETERS(model) | {"another_": 1}


def _other_signature(*_: Any) -> Any:
    raise TypeError("takes 3 positional arguments but 4 were given")


DEPTH_FIRST, DRAWN = forest_nodes.DepthFirstTreeBuilder, forest_nodes._generate_sample_indices
SEEDS, PARAMETERS = forest_nodes.Soil.seeds, forest_builder._parameters


@pytest.mark.parametrize(
    ("place", "name", "wrong"),
    [
        (forest_nodes, "DepthFirstTreeBuilder", _other_nodes),
        (forest_nodes, "_generate_sample_indices", _other_draws),
        (forest_nodes, "_generate_sample_indices", _other_signature),
        (forest_nodes.Soil, "seeds", _other_seeds),
        (forest_builder, "_parameters", _other_attributes),
    ],
    ids=["nodes", "draws", "signature", "seeds", "attributes"],
)
def test_the_net_catches_what_is_not_scikit_learns(
    place: Any, name: str, wrong: Any, monkeypatch: pytest.MonkeyPatch, compared: list[int]
) -> None:
    monkeypatch.setattr(place, name, wrong)
    assert_fitted_by_scikit_learn()
    assert len(compared) == 1, "and the rest of the process asks no more"


def test_the_net_catches_names_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        sys.modules, "heldout.numerics.sklearn_internals.forest_nodes", None
    )  # cannot be imported
    assert_fitted_by_scikit_learn()


def assert_fitted_by_scikit_learn() -> None:
    rows = plain(True)
    model = RandomForestClassifier(5, random_state=7)
    for _ in range(2):
        assert_same(Nursery(*rows).fit(model, {}), copy.copy(model).fit(*rows))
        assert list(forest_builder._exact.values()) == [False]


def test_one_kind_that_differs_leaves_the_others_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest_nodes, "BestFirstTreeBuilder", _other_signature)
    rows = plain(False)
    for leaves, exact in ((5, False), (None, True)):
        model = RandomForestRegressor(5, max_leaf_nodes=leaves, random_state=0)
        assert_exact(model, rows, Nursery(*rows), {})
        assert list(forest_builder._exact.values())[-1] is exact


def test_each_way_through_the_code_is_compared_once(compared: list[int]) -> None:
    rows = plain(True)
    ways = ({}, {"max_depth": 2}, {"max_leaf_nodes": 5}, {"bootstrap": False}, {"max_features": 2})
    for given in ways:
        for count, seed in ((5, 0), (7, 1)):
            model = RandomForestClassifier(n_estimators=count, random_state=seed, **given)
            assert_exact(model, rows, Nursery(*rows), {})
    assert compared == [len(rows[0])] * len(ways)
    assert set(forest_builder._exact.values()) == {True}


def test_a_large_table_is_compared_in_part(compared: list[int]) -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(7000, 2)), np.repeat([0, 1], 3500)
    model = RandomForestClassifier(3, max_depth=2, random_state=0)
    assert_exact(model, rows, Nursery(*rows), {})
    [size] = compared
    assert forest_builder.COMPARED / 2 < size <= forest_builder.COMPARED
