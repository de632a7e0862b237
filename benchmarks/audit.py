"""The audit of the Gaussian linear oracle against the same study as a plain scikit-learn loop.

``python benchmarks/audit.py [--replicates 20] [--loop 2]``: CPU seconds per replicate of both (least
squares and ridge with 20 λ, n = 100: 10-fold CV, leave-one-out, nested CV), their ratio, and how far
the estimates are apart. The loop computes point estimates only; the audit also computes the
intervals, the corrections of the smallest CV risk and the true risk of every model.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import GridSearchCV, LeaveOneOut, PredefinedSplit, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from heldout.audit.replicate import Auditor
from heldout.execution.specs import build
from heldout.execution.steps.audit_batch import setup_of
from heldout.execution.study import Study
from heldout.names import seed_for

CONFIG = Path(__file__).parents[1] / "config" / "examples" / "gaussian_linear_audit.yaml"
TASK, M = "gaussian_linear", 100
SCORING = "neg_mean_squared_error"


def auditor() -> Auditor:
    study = Study(yaml.safe_load(CONFIG.read_text(encoding="utf-8")))
    return Auditor(setup_of(Path(), build.audit_batch(study.task(TASK), str(M), "0001")))


def plain_loop(features: np.ndarray, target: np.ndarray, fold: np.ndarray, alphas: Any) -> Any:
    """What a user would write: the risks of both learners by the three estimators."""
    outer = PredefinedSplit(fold)
    linear, ridge = LinearRegression(), make_pipeline(StandardScaler(), Ridge())
    grid = {"ridge__alpha": alphas}
    search = GridSearchCV(ridge, grid, scoring=SCORING, cv=outer).fit(features, target)
    best = clone(ridge).set_params(**search.best_params_)
    loo = GridSearchCV(ridge, grid, scoring=SCORING, cv=LeaveOneOut(), refit=False)
    loo.fit(features, target)
    risks = {
        ("linear", "kfold"): _risk(linear, features, target, outer),
        ("linear", "loo"): _risk(linear, features, target, LeaveOneOut()),
        ("ridge", "kfold"): -search.best_score_,
        ("ridge", "loo"): -loo.cv_results_["mean_test_score"][search.best_index_],
        ("ridge", "nested_cv"): _nested(ridge, grid, features, target, fold),
    }
    assert np.isclose(risks["ridge", "kfold"], _risk(best, features, target, outer))
    return risks


def _risk(model: Any, features: np.ndarray, target: np.ndarray, splitter: Any) -> float:
    return float(-cross_val_score(model, features, target, cv=splitter, scoring=SCORING).mean())


def _nested(
    ridge: Pipeline, grid: Any, features: np.ndarray, target: np.ndarray, fold: np.ndarray
) -> float:
    """The inner folds of an outer fold are the other outer folds."""
    risks = []
    for outer in np.unique(fold):
        train, held = fold != outer, fold == outer
        inner = PredefinedSplit(fold[train])
        search = GridSearchCV(ridge, grid, scoring=SCORING, cv=inner)
        search.fit(features[train], target[train])
        risks.append(((search.predict(features[held]) - target[held]) ** 2).mean())
    return float(np.mean(risks))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=20)
    parser.add_argument("--loop", type=int, default=2)
    given = parser.parse_args()
    with threadpool_limits(1):
        print(json.dumps(compare(given.replicates, given.loop), indent=1))


def compare(replicates: int, loops: int) -> dict[str, float]:
    """CPU seconds per replicate, the ratio, and the largest relative difference of an estimate."""
    mine = auditor()
    mine.replicate(M, 1)
    started = time.process_time()
    found = [mine.replicate(M, number) for number in range(1, replicates + 1)]
    ours = (time.process_time() - started) / replicates
    alphas = [theta["alpha"] for theta in mine.setup.thetas["ridge"]]
    theirs, apart = 0.0, 0.0
    for number in range(1, loops + 1):
        seed = seed_for(mine.setup.seed, TASK, "audit", f"m{M}", str(number))
        draw = mine.setup.source.draw(M, 0, seed)
        split = mine._splits(draw, seed)["kfold"]
        started = time.process_time()
        risks = plain_loop(draw.table.features, draw.table.target, split["fold"], alphas)
        theirs += (time.process_time() - started) / loops
        for (learner, estimator), risk in risks.items():
            own = found[number - 1].rows[learner, estimator, "bayle_all_pairs"].risk
            apart = max(apart, abs(own / risk - 1))
    return {
        "audit_seconds_per_replicate": round(ours, 4),
        "loop_seconds_per_replicate": round(theirs, 3),
        "ratio": round(theirs / ours, 1),
        "largest_relative_difference": apart,
    }


if __name__ == "__main__":
    main()
