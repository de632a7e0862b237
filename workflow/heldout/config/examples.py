"""Grids and configs that the generated README shows; a test runs them through the validation."""

from typing import Any

GRIDS: list[tuple[dict[str, Any], str]] = [
    ({"C": [0.1, 1, 10]}, ""),
    ({"n_neighbors": {"range": [1, 10, 2]}}, ""),
    ({"alpha": {"linspace": [0, 1, 5]}}, ""),
    ({"alpha": {"logspace": [-2, 2, 5]}}, ""),
    (
        {"C": {"random": {"loguniform": [0.001, 1000]}, "n": 40}},
        "40 draws; more keep the earlier ones",
    ),
    ({"C": {"random": {"uniform": [0, 1]}, "n": 40}}, "numbers between 0 and 1"),
    ({"max_depth": {"random": {"integer": [1, 20]}, "n": 8}}, "whole numbers from 1 to 19"),
    ({"kernel": {"random": {"choice": ["rbf", "poly"]}, "n": 1}}, "one of the list"),
    (
        {
            "random": {"C": {"loguniform": [0.001, 1000]}, "gamma": {"loguniform": [0.001, 10]}},
            "n": 40,
        },
        "40 joint draws of both",
    ),
    ({"n_neighbors": {"from": 1}}, "1, 2, 3, …, for `select: {rule: first_local_min}`"),
    ({"n_neighbors": {"from": 1, "step": 2}}, "1, 3, 5, …"),
    ({"features": [["age", "bmi"], ["age", "bmi", "bp"]]}, "two sets of columns"),
]
"""A grid, and a description of its values; empty where the values themselves are listed."""

EXAMPLES = {
    "The smallest": """
tasks:
  penguins: {data: data/penguins.csv, target: species, learners: [knn]}
""",
    "Rows that belong together, the user's own folds, columns that are no features": """
tasks:
  visits:
    data: data/visits.parquet
    target: recovered
    drop: [visit_id, note]
    groups: patient        # whole patients are sealed, held out and resampled
    kfold: {column: fold}  # a patient's rows must lie in one fold
    learners: [majority, logistic, forest]
""",
    "A test set of its own, probabilities, the simplest θ within one standard error": """
tasks:
  penguins:
    data: data/penguins.csv
    target: species
    test: data/penguins_2010.csv
    loss: cross_entropy
    select: {by: kfold, rule: one_se}
    learners: [tree]
learners:
  tree:
    estimator: tree
    grid: {max_depth: {range: [1, 13]}}
    simpler: {max_depth: smaller}
""",
    "Select by AUC, report F1 and a cost of your own beside it": """
tasks:
  cancer:
    data: sklearn:breast_cancer
    target: target
    loss: roc_auc
    positive: malignant     # default: the rarer class
    metrics: [f1, average_precision, {costs: {malignant: {benign: 10}, benign: {malignant: 1}}}]
    learners: [majority, logistic, forest]
""",
    "An import path, fixed parameters, random search, a choice between sets of features": """
tasks:
  diabetes:
    data: sklearn:diabetes
    target: target
    metrics: [r2, neg_mean_absolute_error]
    kfold: {k: 5, repeats: 4}
    learners: [mean, svr, small]
learners:
  svr:
    estimator: sklearn.svm.SVR
    params: {kernel: rbf}
    grid:
      random: {C: {loguniform: [0.1, 1000]}, gamma: {loguniform: [0.001, 1]}}
      n: 40
  small:
    estimator: ridge
    grid:
      alpha: {logspace: [-2, 2, 9]}
      features: [[bmi, bp], [bmi, bp, s5], [age, sex, bmi, bp, s5]]
""",
    "A rare class: F1 as the measure, its threshold chosen together with θ": """
tasks:
  patients:
    data: data/patients.csv
    target: outcome
    loss: f1               # or balanced_accuracy, {fbeta: 2}, {precision_at_recall: 0.9}, {costs: …}
    positive: ill
    threshold: tune        # or a number, or a list of numbers
    metrics: [roc_auc]     # which no threshold changes
    learners: [logistic, forest]
""",
    "A Pipeline of steps, calibrated probabilities, a transformed target": """
tasks:
  houses:
    data: data/houses.csv
    target: price
    learners: [mean, piped, log, lightgbm]
  sold:
    data: data/houses.csv
    target: sold
    loss: cross_entropy
    learners: [majority, sure]
learners:
  piped:
    steps:
      - columns: {numbers: [impute, scale], categories: [impute, onehot], dates: [dates, impute]}
      - kbest
      - ridge
    grid: {kbest__k: [5, 10], ridge__alpha: [0.1, 1, 10]}
  log: {estimator: ridge, target: log}
  sure: {estimator: svm, calibrate: sigmoid}
""",
    "A hyper-parameter without an end: stop at the first significant local minimum": """
tasks:
  penguins:
    data: data/penguins.csv
    target: species
    estimators: [kfold, test]
    select: {rule: first_local_min, patience: 3}
    learners: [knn]
learners:
  knn:
    estimator: knn
    grid: {n_neighbors: {from: 1}}
""",
}
"""Configs by what they show."""
