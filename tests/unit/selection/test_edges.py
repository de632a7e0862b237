"""Which selected θ lie on an edge beyond which a better one may be."""

import numpy as np
import pytest

from heldout.estimates.rules import Curve
from heldout.learners.natural_bounds import at_natural_bound
from heldout.names import canonical
from heldout.selection.edges import edges_of


def curve(name, values, risks):
    return Curve("m", [{name: value} for value in values], risks, [0.05] * len(risks))


def told(one, se):
    """Compares θ by the risks of a curve; every difference has the same standard error."""
    risks = {canonical(t): r for t, r in zip(one.thetas, one.risks, strict=True)}
    return lambda _, a, b: (risks[canonical(b)] - risks[canonical(a)], se)


def opened(one, se, pick=None):
    place = int(np.argmin(one.risks)) if pick is None else pick
    return [edge.name for edge in edges_of(one, place, told(one, se)) if edge.open]


SIX = [1e-2, 1e-1, 1.0, 10.0, 100.0, 1000.0]
CASES = {
    "inside": (("C", SIX, [0.3, 0.2, 0.1, 0.2, 0.3, 0.4]), 0.01, []),
    "a clear last step": (("C", SIX, [0.5, 0.4, 0.3, 0.2, 0.15, 0.1]), 0.02, ["C"]),
    "a clear first step": (("C", SIX, [0.1, 0.2, 0.3, 0.3, 0.3, 0.4]), 0.02, ["C"]),
    "flat at the end": (("C", SIX, [0.5, 0.3, 0.11, 0.1, 0.1, 0.0999]), 0.02, []),
    "the fall ended before the edge": (("C", SIX, [0.5, 0.4, 0.3, 0.11, 0.101, 0.1]), 0.02, []),
    "small steps that add up": (("C", SIX, [0.20, 0.19, 0.18, 0.17, 0.16, 0.15]), 0.012, ["C"]),
    "small steps within noise": (("C", SIX, [0.20, 0.19, 0.18, 0.17, 0.16, 0.15]), 0.02, []),
    "nearest neighbours": (("n_neighbors", [1, 3, 5, 9], [0.1, 0.2, 0.3, 0.4]), 0.01, []),
    "not quite the nearest": (("n_neighbors", [2, 3, 5, 9], [0.1, 0.2, 0.3, 0.4]), 0.01, ["n_neighbors"]),
    "a step's parameter": (("poly__degree", [1, 2, 3], [0.1, 0.2, 0.3]), 0.01, []),
    "the other end of it": (("poly__degree", [1, 2, 3], [0.3, 0.2, 0.1]), 0.01, ["poly__degree"]),
    "two values are no axis": (("C", [1, 10], [0.2, 0.1]), 0.01, []),
    "texts": (("kernel", ["a", "b", "c"], [0.3, 0.2, 0.1]), 0.01, []),
    "no limit stands above": (("max_depth", [2, 4, 8, None], [0.4, 0.3, 0.1, 0.2]), 0.01, []),
    "no limit is not below": (("max_depth", [2, 4, 8, None], [0.1, 0.3, 0.4, 0.5]), 0.01, ["max_depth"]),
    "all alike": (("C", SIX, [0.1] * 6), 0.01, []),
    "noise that is not known": (("C", SIX, [0.5, 0.4, 0.3, 0.2, 0.15, 0.1]), None, ["C"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_edges(case):
    given, se, wanted = CASES[case]
    assert opened(curve(*given), se) == wanted


def test_a_simpler_theta_on_the_edge_is_no_reason_to_go_further():
    one = curve("max_depth", [2, 4, 8], [0.13, 0.1, 0.12])
    assert opened(one, 0.001, pick=0) == []


def test_other_hyper_parameters_are_equal():
    grid = [{"C": c, "gamma": g} for c in (1, 10, 100) for g in (0.1, 1, 10)]
    risks = [0.5, 0.4, 0.5, 0.3, 0.45, 0.45, 0.2, 0.1, 0.2]
    one = Curve("svm", grid, risks, [0.1] * 9)
    assert opened(one, 0.05) == ["C"], "0.1 against 0.45; the best of C = 10 has another gamma"
    one = Curve("svm", grid, [*risks[:4], 0.12, *risks[5:]], [0.1] * 9)
    assert opened(one, 0.05) == []


def test_drawn_theta_are_compared_with_the_best_inside():
    grid = [{"a": a, "b": b} for a, b in ((0.1, 5.0), (0.4, 3.0), (0.9, 4.0), (0.5, 1.0))]
    one = Curve("m", grid, [0.4, 0.3, 0.1, 0.35], [0.1] * 4)
    assert opened(one, 0.05) == ["a"]
    assert opened(one, 0.15) == []


def test_without_a_comparison_risks_alone_decide():
    [edge] = edges_of(curve("C", SIX, [0.5, 0.4, 0.3, 0.2, 0.15, 0.14]), 5)
    assert (edge.name, edge.open) == ("C", True)


@pytest.mark.parametrize(
    ("name", "value", "end", "natural"),
    [
        ("tree__min_samples_leaf", 1, "low", True),
        ("min_samples_leaf", 0.01, "low", False),
        ("min_samples_split", 2, "low", True),
        ("ccp_alpha", 0.0, "low", True),
        ("ccp_alpha", 0.0, "high", False),
        ("subsample", 1.0, "high", True),
        ("max_features", 1.0, "high", True),
        ("max_features", 1, "high", False),
        ("max_features", 1, "low", True),
        ("mine", 0, "low", False),
    ],
)
def test_natural_bounds(name, value, end, natural):
    assert at_natural_bound(name, value, end) is natural
