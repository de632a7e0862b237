"""A study of one small task, and its steps run in this process."""

import inprocess
import numpy as np

from heldout.execution.study import Study

CONFIG = {
    "tasks": {
        "small": {
            "data": "small.csv",
            "target": "y",
            "estimators": ["training", "holdout", "kfold", "test"],
            "kfold": {"k": 3},
            "missing": ["?"],
            "learners": ["knn", "tree"],
        }
    },
    "learners": {
        "knn": {"estimator": "knn", "grid": {"n_neighbors": [1, 5]}},
        "tree": {"estimator": "tree", "grid": {"max_depth": [2]}},
    },
}
STEPS = (
    "prepare_data",
    "draw_splits",
    "fit_cells",
    "estimate_risks",
    "select_model",
    "estimate_procedures",
    "train_final",
    "open_test",
    "score_test",
    "write_card",
    "tabulate_estimates",
)


def small_table() -> dict:
    generator = np.random.default_rng(5)
    label = generator.permutation(np.repeat(["no", "yes"], 30))
    return {
        "length": (generator.normal(size=60) + (label == "yes")).tolist(),
        "width": generator.normal(size=60).tolist(),
        "colour": generator.choice(["red", "blue", "?"], size=60).tolist(),
        "y": label.tolist(),
    }


def wildcards(step: str, study: Study) -> list[dict]:
    if step == "draw_splits":
        return [{"split": split} for split in study.splits("small")]
    return [{"batch": "1", "batches": "1"}] if step == "fit_cells" else [{}]


def run_step(study: Study, folder, step: str) -> None:
    """What a rule of the workflow does."""
    for given in wildcards(step, study):
        inprocess.run_step(study, folder, step, "small", **given)
