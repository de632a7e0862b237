"""`python benchmarks/price.py` compares `heldout check --price` with real runs, seconds and bytes.

Each workload is priced in an empty folder, then run there by `snakemake --cores 2`. It prints a table of what was
said and what was true; a name as argument runs only that workload. Tables come with scikit-learn and heldout.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from heldout.execution.pricing import price_of
from heldout.execution.study import Study

REPO = Path(__file__).parents[1]
CORES = 2
KNN = {"estimator": "knn", "grid": {"n_neighbors": {"range": [1, 31]}}}
SVM = {"estimator": "svm", "grid": {"C": {"logspace": [-1, 2, 4]}, "gamma": [0.01, 0.1]}}
STEPS = {
    "steps": [
        {"columns": {"numbers": ["impute", "scale"], "categories": ["impute", "onehot"]}},
        "kbest",
        "logistic",
    ],
    "grid": {"kbest__k": [2, 4, 6], "C": [0.1, 1, 10]},
}
LIGHTGBM = {"estimator": "lightgbm", "grid": {"n_estimators": [50, 100], "num_leaves": [4, 15]}}
GAUSSIAN = {"data": "oracle:gaussian_linear", "target": "y", "loss": "squared"}


def started(table: str, target: str) -> dict[str, Any]:
    """The config that `heldout init` writes."""
    command = [sys.executable, "-m", "heldout", "init", table, "--target", target, "--output"]
    subprocess.run([*command, "init.yaml"], check=True, capture_output=True)
    return dict(yaml.safe_load(Path("init.yaml").read_text()))


def simple(task: dict[str, Any], **learners: dict[str, Any]) -> dict[str, Any]:
    """A config of one task."""
    return {"tasks": {"t": {**task, "learners": list(learners)}}, "learners": learners}


WORKLOADS: dict[str, Any] = {
    "init, penguins (344 rows)": lambda: started("data/penguins.csv", "species"),
    "init, diabetes (442 rows)": lambda: started("sklearn:diabetes", "target"),
    "init, breast_cancer (569 rows)": lambda: started("sklearn:breast_cancer", "target"),
    "init, digits (1797 rows, 10 classes)": lambda: started("sklearn:digits", "target"),
    "init, 20 000 Gaussian rows": lambda: started(gaussian(20_000, 20), "y"),
    "k-NN, 30 k, 10-fold and nested, 4000 rows": lambda: simple(
        GAUSSIAN | {"oracle": {"rows": 4000, "features": 10}, "kfold": {"k": 10}}, knn=KNN
    ),
    "SVM, 8 θ, breast_cancer": lambda: simple(
        {"data": "sklearn:breast_cancer", "target": "target"}, svm=SVM
    ),
    "leave-one-out: tree, logistic, breast_cancer": lambda: simple(
        {
            "data": "sklearn:breast_cancer",
            "target": "target",
            "test": 0,
            "estimators": ["training", "loo"],
            "select": {"by": "loo"},
        },
        tree={"estimator": "tree", "grid": {"max_depth": [1, 2, 4, 8]}},
        logistic={"estimator": "logistic"},
    ),
    "bootstrap, 200 bags, ridge and lasso, diabetes": lambda: simple(
        {
            "data": "sklearn:diabetes",
            "target": "target",
            "estimators": ["training", "kfold", "bootstrap", "test"],
            "bootstrap": {"bags": 200},
        },
        ridge={"estimator": "ridge"},
        lasso={"estimator": "lasso"},
    ),
    "steps and LightGBM, penguins": lambda: simple(
        {"data": "data/penguins.csv", "target": "species"}, steps=STEPS, lightgbm=LIGHTGBM
    ),
}


def gaussian(rows: int, features: int) -> str:
    """Write a table of Gaussian features and a noisy sum of some of them."""
    import numpy as np

    generator = np.random.default_rng(0)
    x = generator.normal(size=(rows, features))
    y = x[:, :5].sum(axis=1) + np.sin(3 * x[:, 5]) + generator.normal(size=rows)
    names = ",".join([*(f"x{i}" for i in range(features)), "y"])
    np.savetxt("gaussian.csv", np.column_stack([x, y]), delimiter=",", header=names, comments="")
    return "gaussian.csv"


def compare(make: Any) -> tuple[float, float, float, float, float, int]:
    """Seconds and megabytes, said and true, with the seconds that the price took, and the cells."""
    config = make()
    Path("config").mkdir(exist_ok=True)
    Path("config/config.yaml").write_text(yaml.safe_dump(config))
    study = Study(config, cores=CORES)
    [task] = study.tasks
    began = time.perf_counter()
    price = price_of(study, task, Path("results"))
    took = time.perf_counter() - began
    began = time.perf_counter()
    command = ["snakemake", "-s", str(REPO / "workflow" / "Snakefile"), "--cores", str(CORES)]
    subprocess.run(command, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    files = (path for path in Path("results", task, "cells").rglob("*") if path.is_file())
    size = sum(path.stat().st_size for path in files) / 1e6
    return price.seconds, seconds, price.megabytes, size, took, price.cells


def main() -> None:
    """Compare each workload, or those that are named."""
    print(
        "| workload | cells | said, s | true, s | ratio | said, MB | true, MB | pricing took, s |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, make in WORKLOADS.items():
        if sys.argv[1:] and not any(part in name for part in sys.argv[1:]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            shutil.copytree(REPO / "data", "data")
            said, true, mb, size, took, cells = compare(make)
            figures = (
                f"{said:.0f} | {true:.0f} | {said / true:.2f} | {mb:.1f} | {size:.1f} | {took:.0f}"
            )
            print(f"| {name} | {cells:,} | {figures} |", flush=True)
            os.chdir(REPO)


if __name__ == "__main__":
    main()
