"""For which parameters of LightGBM, XGBoost and CatBoost the first rounds of a long run are those of a shorter one.

Known ones only. Not with early stopping, with trees that are changed or dropped later (dart), with forests (rf), or
with anything that depends on the number of rounds. Standard library only, as the registry.
"""

from collections.abc import Callable
from typing import Any


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LIGHTGBM = _words(
    "n_estimators learning_rate eta shrinkage_rate num_leaves max_depth min_child_samples min_data_in_leaf "
    "min_child_weight min_sum_hessian_in_leaf min_split_gain min_gain_to_split reg_alpha lambda_l1 reg_lambda "
    "lambda_l2 subsample bagging_fraction subsample_freq bagging_freq colsample_bytree feature_fraction "
    "colsample_bynode feature_fraction_bynode extra_trees path_smooth max_delta_step max_bin min_data_in_bin "
    "subsample_for_bin cat_smooth cat_l2 max_cat_threshold max_cat_to_onehot min_data_per_group objective "
    "class_weight is_unbalance scale_pos_weight boosting_type data_sample_strategy top_rate other_rate "
    "importance_type random_state seed n_jobs num_threads verbose verbosity deterministic force_col_wise "
    "force_row_wise"
)
XGBOOST = _words(
    "n_estimators learning_rate eta max_depth max_leaves max_bin grow_policy tree_method gamma min_split_loss "
    "min_child_weight max_delta_step subsample sampling_method colsample_bytree colsample_bylevel "
    "colsample_bynode reg_alpha alpha reg_lambda lambda scale_pos_weight base_score num_parallel_tree objective "
    "eval_metric booster enable_categorical max_cat_to_onehot max_cat_threshold missing importance_type "
    "random_state seed n_jobs nthread verbosity"
)
CATBOOST = _words(
    "n_estimators iterations learning_rate depth max_depth l2_leaf_reg reg_lambda random_strength rsm "
    "colsample_bylevel subsample bootstrap_type bagging_temperature sampling_frequency border_count max_bin "
    "boosting_type grow_policy leaf_estimation_iterations leaf_estimation_method loss_function objective "
    "class_weights auto_class_weights scale_pos_weight one_hot_max_size max_ctr_complexity nan_mode "
    "score_function random_seed random_state thread_count verbose silent logging_level "
    "allow_writing_files"
)


def _rounds(known: frozenset[str], **needed: tuple[Any, ...]) -> Callable[[dict[str, Any]], bool]:
    """Known parameters, a number of rounds, no functions; of those `needed`, one of some values or the default."""

    def exact(given: dict[str, Any]) -> bool:
        counts = [given[name] for name in ("n_estimators", "iterations") if name in given]
        return (
            set(given) <= known
            and len(counts) == 1
            and type(counts[0]) is int
            and counts[0] > 0
            and not any(callable(one) or isinstance(one, dict) for one in _objectives(given))
            and all(given.get(name, values[0]) in values for name, values in needed.items())
        )

    return exact


def _objectives(given: dict[str, Any]) -> list[Any]:
    names = ("objective", "loss_function", "eval_metric")
    return [given[name] for name in names if name in given]


def _catboost(given: dict[str, Any]) -> bool:
    """Without a learning rate, CatBoost chooses one by the number of rounds; only symmetric trees can be cut."""
    symmetric = _rounds(CATBOOST, grow_policy=("SymmetricTree",))
    return symmetric(given) and given.get("learning_rate") is not None


OFFERS = (
    (
        ("lightgbm.LGBMClassifier", "lightgbm.LGBMRegressor"),
        _rounds(LIGHTGBM, boosting_type=("gbdt",)),
    ),
    (
        ("xgboost.XGBClassifier", "xgboost.XGBRegressor"),
        _rounds(XGBOOST, booster=("gbtree", None)),
    ),
    (("catboost.CatBoostClassifier", "catboost.CatBoostRegressor"), _catboost),
)
"""Import paths, and the condition on the parameters that reach the model."""
