"""Why a model was selected: true for every rule, with one learner and with several."""

import pytest

from heldout.estimates.rows import RiskRow
from heldout.estimates.rules import Curve, Rule
from heldout.names import canonical
from heldout.selection.select import select
from heldout.selection.why import theta_text, why

ORDERS = {"knn": {"k": "larger"}, "tree": {"depth": "smaller"}, "ridge": {"alpha": "larger"}}
ONE_SE = Rule("one_se", simpler=ORDERS)
SCAN = Rule("first_local_min", patience=2)


def curve(learner, name, risks, errors=0.05):
    thetas = [{name: i + 1} for i in range(len(risks))] if name else [{}]
    return Curve(learner, thetas, risks, [errors] * len(risks))


KNN = curve("knn", "k", [0.3, 0.1, 0.12, 0.2])
TREE = curve("tree", "depth", [0.25, 0.08, 0.11])
MEAN = curve("mean", "", [0.4])
LINEAR = curve("linear", "", [0.09])


def said(rule, *curves, by="kfold"):
    """What `select` says, which chooses by the same curves."""
    rows = [
        RiskRow(one.learner, canonical(theta), by, risk, None, error, None, None, None, 50)
        for one in curves
        for theta, risk, error in zip(one.thetas, one.risks, one.errors, strict=True)
    ]
    return select(rows, [], by, rule, maximum=100)["why"]


CASES = {
    "min, one learner": (
        (Rule("min"), KNN),
        "it has the smallest kfold risk (0.1) of the 4 θ tried",
    ),
    "min, several learners": (
        (Rule("min"), KNN, TREE, MEAN),
        "it has the smallest kfold risk (0.08) of the 8 θ tried (knn 4, tree 3, mean 1)",
    ),
    "min, a tie": (
        (Rule("min"), KNN, curve("tree", "depth", [0.1, 0.1 + 1e-17, 0.3])),
        "it has the smallest kfold risk (0.1) of the 7 θ tried (knn 4, tree 3), the first of 3 that have it",
    ),
    "one θ": ((ONE_SE, MEAN), "it is the only θ tried; its kfold risk is 0.4"),
    "one θ in each learner": (
        (ONE_SE, MEAN, LINEAR),
        "it has the smallest kfold risk (0.09) of 2 learners with one θ each",
    ),
    "one_se, another θ has the smallest risk": (
        (ONE_SE, KNN),
        "it is the simplest θ within one standard error of the smallest kfold risk; its risk is 0.12, and "
        "the smallest of the 4 θ tried is 0.1 (k = 2)",
    ),
    "one_se, the smallest risk": (
        (ONE_SE, TREE),
        "it is the simplest θ within one standard error of the smallest kfold risk; of the 3 θ tried it "
        "also has the smallest risk (0.08)",
    ),
    "one_se, several learners, another learner has the smallest risk": (
        (ONE_SE, MEAN, LINEAR, curve("knn", "k", [0.3, 0.07, 0.12])),
        "in each learner the simplest θ within one standard error of the smallest kfold risk was taken, of "
        "the 5 θ tried (mean 1, linear 1, knn 3); of these 3, that of linear has the smallest risk (0.09). "
        "The smallest of all is 0.07 (knn with k = 2)",
    ),
    "one_se, several learners, the selected one has the smallest risk": (
        (ONE_SE, KNN, TREE),
        "in each learner the simplest θ within one standard error of the smallest kfold risk was taken, of "
        "the 7 θ tried (knn 4, tree 3); of these 2, that of tree has the smallest risk (0.08), which is the "
        "smallest of all",
    ),
    "one_se, several learners, another θ of the selected one has the smallest risk": (
        (ONE_SE, curve("knn", "k", [0.3, 0.1, 0.12]), curve("tree", "depth", [0.11, 0.09])),
        "in each learner the simplest θ within one standard error of the smallest kfold risk was taken, of "
        "the 5 θ tried (knn 3, tree 2); of these 2, that of tree has the smallest risk (0.11). The smallest "
        "of all is 0.09 (tree with depth = 2)",
    ),
    "one_se without an order": (
        (Rule("one_se"), KNN),
        "it is the θ with the smallest kfold risk (no θ is declared simpler than another); of the 4 θ tried "
        "it also has the smallest risk (0.1)",
    ),
    "one_se without a standard error": (
        (ONE_SE, curve("knn", "k", [0.3, 0.1, 0.12], errors=None)),
        "it is the θ with the smallest kfold risk (there is no standard error); of the 3 θ tried it also "
        "has the smallest risk (0.1)",
    ),
    "first_local_min, a later θ has the smallest risk": (
        (SCAN, curve("tree", "depth", [0.3, 0.2, 0.3, 0.3, 0.15])),
        "it is the θ of the first significant local minimum of the kfold risk; its risk is 0.2, and the "
        "smallest of the 5 θ tried is 0.15 (depth = 5)",
    ),
    "first_local_min, the smallest risk": (
        (SCAN, curve("tree", "depth", [0.3, 0.2, 0.3, 0.3])),
        "it is the θ of the first significant local minimum of the kfold risk; of the 4 θ tried it also "
        "has the smallest risk (0.2)",
    ),
    "first_local_min, no rise": (
        (SCAN, curve("tree", "depth", [0.3, 0.2, 0.3])),
        "it is the θ with the smallest kfold risk (no significant rise ended the scan); of the 3 θ tried it "
        "also has the smallest risk (0.2)",
    ),
    "first_local_min, several learners": (
        (SCAN, MEAN, curve("tree", "depth", [0.3, 0.2, 0.3, 0.3, 0.15])),
        "in each learner the θ of the first significant local minimum of the kfold risk was taken, of the 6 θ "
        "tried (mean 1, tree 5); of these 2, that of tree has the smallest risk (0.2). The smallest of all "
        "is 0.15 (tree with depth = 5)",
    ),
    "first_local_min, no rise in one of the learners": (
        (SCAN, curve("tree", "depth", [0.3, 0.2, 0.3, 0.3]), curve("knn", "k", [0.3, 0.2])),
        "in each learner the θ of the first significant local minimum of the kfold risk, or the smallest where "
        "no significant rise ended the scan, was taken, of the 6 θ tried (tree 4, knn 2); of these 2, that of "
        "tree has the smallest risk (0.2), which is the smallest of all",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_every_rule_with_one_and_several_learners(case):
    given, expected = CASES[case]
    assert said(*given) == expected


SIMPLEST = "the simplest θ that cannot be told from the best by its kfold risk"


@pytest.mark.parametrize(
    ("curves", "picks", "learner", "expected"),
    [
        (
            [KNN],
            {"knn": 3},
            "knn",
            f"it is {SIMPLEST}; its risk is 0.2, and the smallest of the 4 θ tried is 0.1 (k = 2)",
        ),
        (
            [KNN, TREE],
            {"knn": 2, "tree": 0},
            "knn",
            f"in each learner {SIMPLEST} was taken, of the 7 θ tried (knn 4, tree 3); of these 2, that of "
            "knn has the smallest risk (0.12). The smallest of all is 0.08 (tree with depth = 2)",
        ),
    ],
)
def test_the_simplest_of_a_confidence_set(curves, picks, learner, expected):
    rule = Rule("confidence_set", simpler=ORDERS)
    assert why(curves, picks, learner, "kfold", rule) == expected


def test_a_learner_without_grid_wins_though_another_theta_is_better():
    """29 θ in 5 learners; least squares is selected and a θ of ridge has a smaller risk."""
    alphas = [10 ** (i / 2 - 2) for i in range(13)]
    risks = [2960.0 - i for i in range(6)] + [2930.61, *(3000.0 + 10 * i for i in range(6))]
    ridge = Curve("ridge", [{"alpha": alpha} for alpha in alphas], risks, [80.0] * 13)
    knn = curve("knn", "k", [4000.0, 3900.0, 3500.0, 3400.0, 3300.0, 3350.0, 3360.0])
    tree = curve("tree", "depth", [4300.0, 4000.0, 3900.0, 3950.0, 4000.0, 4100.0, 4200.0])
    mean, linear = curve("mean", "", [5900.0]), curve("linear", "", [2932.66])
    assert said(ONE_SE, mean, linear, ridge, knn, tree) == (
        "in each learner the simplest θ within one standard error of the smallest kfold risk was taken, of "
        "the 29 θ tried (mean 1, linear 1, ridge 13, knn 7, tree 7); of these 5, that of linear has the "
        "smallest risk (2933). The smallest of all is 2931 (ridge with alpha = 10)"
    )


def test_a_learner_without_hyper_parameters_is_named_alone():
    assert said(
        ONE_SE, curve("tree", "depth", [0.12, 0.1]), curve("ridge", "alpha", [0.05, 0.09])
    ).endswith("has the smallest risk (0.09). The smallest of all is 0.05 (ridge with alpha = 1)")
    picks = {"tree": 0, "linear": 0}
    text = why([TREE, curve("linear", "", [0.01])], picks, "tree", "kfold", ONE_SE)
    assert text.endswith("The smallest of all is 0.01 (linear)")


def test_many_learners_are_counted_only():
    curves = [curve(f"knn{i}", "k", [0.5, 0.6 + i]) for i in range(7)]
    expected = "of the 14 θ tried in 7 learners, the first of 7 that have it"
    assert said(Rule("min"), *curves).endswith(expected)


@pytest.mark.parametrize(
    ("risks", "shown"),
    [
        ((0.123456, 0.12), ("0.1235", "0.12")),
        ((0.1234601, 0.1234599), ("0.1234601", "0.1234599")),
        ((123456.7, 123400.2), ("123457", "123400")),
        ((123456.71, 123456.69), ("123456.71", "123456.69")),
        ((1.5e12, 1.25e-7), ("1.5e+12", "1.25e-07")),
    ],
)
def test_risks_have_few_digits_but_enough_to_tell_them_apart(risks, shown):
    large, small = risks
    found = said(ONE_SE, curve("knn", "k", [small, large], errors=abs(large)), by="loo")
    assert (
        f"its risk is {shown[0]}, and the smallest of the 2 θ tried is {shown[1]} (k = 1)" in found
    )
    assert "smallest loo risk" in found


def test_theta_in_words():
    assert theta_text({"a": 0.001, "b": [1, 2], "c": True, "d": ""}) == (
        "a = 0.001, b = [1,2], c = true, d = "
    )
