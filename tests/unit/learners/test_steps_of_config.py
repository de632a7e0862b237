"""What a learner's block may say: steps in one canonical form, and one line about what is wrong."""

from typing import Any

import pytest

from heldout.cells.key import family
from heldout.errors import HeldoutError
from heldout.learners.learner import define
from heldout.learners.step_catalogue import STEPS
from heldout.numerics.making import import_estimator, new_estimator, with_made
from heldout.numerics.steps import builder


def steps_of(*items: Any, **keys: Any) -> list[dict[str, Any]]:
    return define("mine", {"steps": [*items], **keys}).steps


@pytest.mark.parametrize("name", STEPS)
def test_every_short_name_makes_a_step(name: str) -> None:
    entry = STEPS[name]
    params = {k: v for k, v in entry.params.items() if v != "auto"}
    made = new_estimator(import_estimator(entry.path), with_made(params, True))
    assert hasattr(made, "fit")
    assert hasattr(made, "transform") or hasattr(made, "fit_resample")


def test_the_code_of_heldouts_own_steps_is_in_the_keys() -> None:
    from heldout.numerics.engines.registry import STEPS as ENGINE
    from heldout.numerics.engines.registry import code_roots
    from heldout.provenance import import_closure

    followed = import_closure(*code_roots(ENGINE))
    own = {entry.path.rpartition(".")[0] for entry in STEPS.values()}
    assert {path for path in own if path.startswith(builder.OWN)} <= followed


def test_names_are_those_of_the_config_or_the_classes() -> None:
    found = steps_of(
        "scale", "sklearn.decomposition:FastICA", {"step": "pca", "name": "few"}, "knn"
    )
    assert [step["name"] for step in found] == ["scale", "fastica", "few", "knn"]


def test_columns_by_a_mapping_and_by_a_list_are_alike() -> None:
    one = steps_of({"columns": {"numbers": "scale", "age, income": ["impute", "power"]}}, "knn")
    parts = [
        {"of": "numbers", "steps": ["scale"]},
        {"of": ["age", "income"], "steps": ["impute", "power"]},
    ]
    assert one == steps_of({"columns": parts}, "knn")
    assert [part["name"] for part in one[0]["columns"]] == ["numbers", "age_income"]


def test_the_model_keeps_the_defaults_of_its_short_name() -> None:
    learner = define("mine", {"steps": ["scale", {"step": "logistic", "params": {"tol": 1e-6}}]})
    assert learner.params == {"solver": "newton-cholesky", "tol": 1e-6, "max_iter": 1000}
    assert learner.grid == define("logistic", None).grid
    assert define("mine", {"steps": ["scale", "knn"], "params": {"knn__p": 1}}).params == {"p": 1}
    given = define("mine", {"steps": ["lightgbm"], "grid": {"lightgbm__n_jobs": [1, 2]}})
    assert "n_jobs" not in given.params


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (
            {"steps": ["kbst", "knn"]},
            "learners.mine.steps[1]: unknown step 'kbst'; did you mean 'kbest'?",
        ),
        ({"steps": ["scale", "knnn"]}, "unknown learner 'knnn'; did you mean 'knn'?"),
        (
            {"steps": ["knn", "tree"]},
            "learners.mine.steps[1]: 'knn' is a model, and only the last step",
        ),
        ({"steps": ["scale"]}, "learners.mine.steps[1]: the last step is the model, and 'scale'"),
        (
            {"steps": ["scale", "scale", "knn"]},
            "two steps are called 'scale'; give one another name",
        ),
        ({"steps": ["scale", "polynomial"]}, "'polynomial' is two steps: write poly, then linear"),
        ({"steps": [{"stepp": "scale"}, "knn"]}, "steps[1]: unknown key 'stepp'; a step is a name"),
        ({"steps": [{"columns": {}}, "knn"]}, "steps[1].columns: expected a mapping such as"),
        (
            {"steps": [{"columns": {"numbers": "scale"}, "rest": "keep"}, "knn"]},
            "rest: expected drop or",
        ),
        (
            {"steps": [{"columns": {"numbers": "scal"}}, "knn"]},
            "unknown step 'scal'; did you mean 'scale'?",
        ),
        ({"steps": [{"step": "scale", "name": "table"}, "knn"]}, "a step cannot be called 'table'"),
        ({"steps": ["scale", "knn"], "scale": True}, "learners.mine.scale: goes with estimator"),
        (
            {"steps": ["knn"], "estimator": "knn"},
            "learners.mine: estimator and steps exclude each other",
        ),
        ({"estimator": "lightgbm", "scale": True}, "'lightgbm' takes the columns as they are"),
        ({"estimator": "knn", "calibrate": "sigmoid", "target": "log"}, "leave one out"),
        (
            {"steps": ["scale", "knn"], "params": {"knn__p": 1}, "grid": {"p": [1]}},
            "'p' stands both in params and in grid",
        ),
        ({"steps": ["no_such_module.Step", "knn"]}, "no module 'no_such_module' on Python's path"),
    ],
)
def test_mistakes_are_told_in_one_line(block: dict[str, Any], message: str) -> None:
    with pytest.raises(HeldoutError) as raised:
        define("mine", block)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_step_is_in_the_key_and_plain_learners_keep_theirs() -> None:
    def of(**block: Any) -> str:
        return family(define("mine", block), classification=True)

    step = {"step": "kbest", "params": {"k": 3}}
    assert of(steps=["scale", step, "knn"]) != of(steps=["scale", "kbest", "knn"])
    assert of(estimator="svm") != of(estimator="svm", calibrate="sigmoid")
    assert of(estimator="svm", calibrate="isotonic") != of(estimator="svm", calibrate="sigmoid")
    assert '"steps"' not in of(estimator="svm")


def test_code_of_steps_and_of_objects_is_the_source(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_steps.py").write_text("A = 1\n")
    by_step = {"steps": ["my_steps.Mine", "knn"]}
    by_function = {"estimator": "knn", "params": {"metric": {"function": "my_steps.distance"}}}
    before = [define("mine", block).source for block in (by_step, by_function)]
    assert all(before)
    (tmp_path / "my_steps.py").write_text("A = 2\n")
    after = [define("mine", block).source for block in (by_step, by_function)]
    assert not set(before) & set(after)
    assert define("mine", {"steps": ["scale", "knn"]}).source == ""


def test_objects_are_no_values_of_grids() -> None:
    for value in (
        {"function": "numpy.log1p"},
        {"estimator": "ridge"},
        [["a", {"estimator": "tree"}]],
    ):
        block = {"steps": ["kbest", "ridge"], "grid": {"kbest__score_func": [None, value]}}
        with pytest.raises(
            HeldoutError, match=r"^learners.a.grid.kbest__score_func: values of a grid"
        ):
            define("a", block)
