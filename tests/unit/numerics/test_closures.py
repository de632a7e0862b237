"""The key of a cell depends on all code that can change its numbers, and on no other."""

import ast
from pathlib import Path

import pytest
from provenance_copy import copy_package, load_provenance

import heldout
from heldout.numerics.engines.registry import ENGINES, code_roots
from heldout.provenance import code_digest, import_closure

ROOT = Path(heldout.__file__).parent
COMMON = {
    "learners.definition",
    "names",
    "numerics",
    "numerics.combination",
    "numerics.cut",
    "numerics.encodings",
    "numerics.engines.generic",
    "numerics.errors",
    "numerics.fit_warning",
    "numerics.making",
    "numerics.parameters",
    "numerics.pipeline",
    "numerics.predict",
    "numerics.preprocessing",
    "numerics.problem",
    "numerics.rows",
    "numerics.threads",
    "numerics.run",
    "predictions",
}
"""What every engine's numbers come from."""
PATH = {"numerics.engines.path"}
NEIGHBORS = {
    "numerics.engines.knn",
    "numerics.engines.neighbor_candidates",
    "numerics.engines.neighbor_sharing",
    "numerics.neighbors",
    *PATH,
}
TREES = {"numerics.engines.tree_predictions", *PATH}
STEPS = {
    f"numerics.steps.{name}"
    for name in (
        "builder",
        "calibration",
        "catboost_models",
        "chain",
        "dates",
        "native",
        "ordinal",
        "output",
        "prepare",
        "table",
        "texts",
        "xgboost_models",
    )
}


def internals(*names: str) -> set[str]:
    return {f"numerics.sklearn_internals.{name}" for name in (*names, "selfcheck")}


OWN = {
    "generic": set(),
    "steps": {"numerics.engines.steps", *STEPS},
    "rounds": {
        "numerics.engines.rounds",
        "numerics.engines.steps",
        "numerics.steps.first_rounds",
        "numerics.steps.stages",
        *STEPS,
        *internals(),
    },
    "leave_one_out": {"numerics.engines.leave_one_out", *NEIGHBORS},
    "polynomial": {"numerics.engines.polynomial"},
    "knn": NEIGHBORS,
    "ridge": {
        "numerics.engines.ridge",
        "numerics.products",
        *PATH,
        *internals("ridge_classifier"),
    },
    "linear": {"numerics.engines.linear", *PATH},
    "lasso": {
        "numerics.engines.lasso",
        "numerics.engines.active_set",
        "numerics.engines.gram",
        *PATH,
    },
    "logistic": {
        "numerics.engines.logistic",
        "numerics.products",
        *(
            f"numerics.logistic.{name}"
            for name in ("by_columns", "by_rows", "by_scores", "loss", "newton")
        ),
        *PATH,
    },
    "svm": {
        "numerics.engines.svm",
        "numerics.engines.kernel_matrix",
        *PATH,
        *internals("svm_kernel"),
    },
    "linear_svm": {"numerics.engines.linear_svm", *PATH},
    "tree": {
        "numerics.engines.tree",
        *TREES,
        *internals("tree_depths", "tree_growth", "tree_splits", "feature_order", "tree_pruning"),
    },
    "forest": {"numerics.engines.forest", *TREES},
    "boosting": {
        "numerics.engines.boosting",
        *PATH,
        *internals("boosting_stages", "boosting_bins", "boosting_routes"),
    },
}
WITHOUT_GENERIC = {"steps", "rounds"}
"""Engines that do without the generic one."""
PACKAGES = {"numerics.engines", "numerics.logistic", "numerics.sklearn_internals", "numerics.steps"}
"""Docstrings only."""


@pytest.mark.parametrize("engine", ENGINES)
def test_what_an_engine_is_made_of(engine: str) -> None:
    found = {name.removeprefix("heldout.") for name in import_closure(*code_roots(engine))}
    common = COMMON - {"numerics.engines.generic"} if engine in WITHOUT_GENERIC else COMMON
    assert found - PACKAGES == common | OWN[engine]


def test_words_and_declarations_are_in_no_key() -> None:
    """The catalogue, grids, messages, the choice of engines, checks, estimators and config."""
    everything = set[str]().union(*(import_closure(*code_roots(name)) for name in ENGINES))
    for module in (
        "heldout.learners.catalogue",
        "heldout.learners.grid",
        "heldout.learners.learner",
        "heldout.cells.preflight",
        "heldout.errors",
        "heldout.provenance",
        "heldout.numerics.engines.registry",
    ):
        assert (ROOT.parent / module.replace(".", "/")).with_suffix(".py").is_file()
        assert module not in everything
    rooms = {name.split(".")[1] for name in everything}
    assert rooms <= {"learners", "names", "numerics", "predictions"}


def test_packages_of_the_closure_hold_nothing_but_a_docstring() -> None:
    """Importing a module runs the packages that it lies in; closures do not follow that."""
    for package in ("", "learners", "numerics", *(p.replace(".", "/") for p in PACKAGES)):
        tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
        code = [node for node in tree.body if not isinstance(node, ast.Expr)]
        assert not code or package == "", package


def test_a_change_in_row_slicing_changes_every_engine(tmp_path: Path) -> None:
    copy_package(tmp_path)

    def digests() -> dict[str, str]:
        code_digest = load_provenance(tmp_path).code_digest
        return {name: code_digest(*code_roots(name)) for name in ENGINES}

    before = digests()
    assert before == {name: code_digest(*code_roots(name)) for name in ENGINES}
    problem = tmp_path / "numerics" / "problem.py"
    sliced = "target, rows = self._target[train]"
    assert sliced in problem.read_text()
    problem.write_text(problem.read_text().replace(sliced, sliced.replace("train", "held")))
    after = digests()
    assert all(after[name] != before[name] for name in ENGINES)
