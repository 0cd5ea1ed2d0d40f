"""Factories of the named classifiers of the learned model."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unmask.arrays import Bool, Float64
from unmask.attacks.definetti.classifier_model import CLASSIFIERS, Make
from unmask.attacks.shared.model_copies import seeded
from unmask.errors import InvalidInputError, NotApplicableError
from unmask.runtime.extras import why_missing
from unmask.runtime.machine import processors
from unmask.wording import message

_MOST_CATEGORIES = 254  # with more, trees treat codes as numbers


def named(name: str, features: Float64, listed: Bool) -> Make:
    """Return the factory of a classifier; `listed` (columns,) marks features that are unordered codes.

    `trees`: gradient boosted trees. `lightgbm`: the same by another library, several times as fast. `forest`: a random
    forest. `logistic`: multinomial logistic regression.

    Fails
        With `InvalidInputError` for another name, with `NotApplicableError` where LightGBM is not installed.
    """
    if name not in CLASSIFIERS:
        raise InvalidInputError.unknown_name(message("classifier"), name, CLASSIFIERS)
    highest = np.max(np.where(np.isnan(features), -1, features), axis=0, initial=-1)
    listed = listed & (highest < _MOST_CATEGORIES)
    if name == "lightgbm":
        return _lightgbm(listed)
    if name == "trees":
        bins = int(np.clip(np.max(highest[listed], initial=0) + 1, 63, 255))
        return of(
            HistGradientBoostingClassifier(
                learning_rate=0.2,
                max_iter=25,
                max_leaf_nodes=15,
                l2_regularization=20.0,  # without it, predictions of rare values are unstable
                max_bins=bins,
                early_stopping=False,
                categorical_features=listed,
            )
        )
    if name == "forest":
        return of(RandomForestClassifier(100, min_samples_leaf=5, max_features=0.35))
    codes = make_pipeline(
        SimpleImputer(strategy="constant", fill_value=-1), OneHotEncoder(handle_unknown="ignore", min_frequency=5)
    )
    numbers = make_pipeline(SimpleImputer(keep_empty_features=True), StandardScaler())
    return of(
        make_pipeline(
            ColumnTransformer(
                [("codes", codes, np.flatnonzero(listed)), ("numbers", numbers, np.flatnonzero(~listed))]
            ),
            LogisticRegression(max_iter=200, tol=1e-3),
        )
    )


def threads_for(name: str) -> int:
    """Return the number of threads for fitting: other classifiers modify the global list of warnings."""
    return processors() if name in {"trees", "lightgbm"} else 1


def of(classifier: Any) -> Make:  # noqa: ANN401 - whatever has scikit-learn's methods
    """Return a factory of seeded copies of a given classifier."""
    return lambda seed: seeded(classifier, seed)


def _lightgbm(listed: Bool) -> Make:
    if why := why_missing("lightgbm"):
        raise NotApplicableError(message("classifier=lightgbm needs {why}, or use trees", why=why))
    return lambda seed: _LightGBM(np.flatnonzero(listed).tolist(), seed)


class _LightGBM:
    """LightGBM with stored categorical columns, which it otherwise requires at every fit."""

    def __init__(self, listed: list[int], seed: int) -> None:
        from lightgbm import LGBMClassifier  # noqa: PLC0415 - an extra

        self.listed = listed
        self.model: Any = LGBMClassifier(
            n_estimators=40,
            learning_rate=0.1,
            num_leaves=15,
            max_bin=63,
            reg_lambda=20.0,
            random_state=seed,
            deterministic=True,
            force_col_wise=True,
            n_jobs=1,
            verbose=-1,
        )

    @property
    def classes_(self) -> Any:  # noqa: ANN401 - scikit-learn's name
        return self.model.classes_

    def fit(self, features: Float64, label: Any) -> None:  # noqa: ANN401 - scikit-learn's name
        self.model.fit(features, label, categorical_feature=self.listed or "auto")

    def predict_proba(self, features: Float64) -> Any:  # noqa: ANN401 - scikit-learn's name
        return self.model.predict_proba(features)
