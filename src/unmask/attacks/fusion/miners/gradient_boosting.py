"""LightGBM as a scikit-learn estimator, imported only when fitted, since it is an extra."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from unmask.arrays import Float64


class LightGBM(BaseEstimator):  # type: ignore[misc]
    """Gradient boosted trees that predict classes or numbers."""

    def __init__(self, predicts: str = "classes", random_state: int = 0) -> None:
        self.predicts = predicts
        self.random_state = random_state

    def fit(self, features: Float64, answer: Any) -> LightGBM:  # noqa: ANN401 - scikit-learn's
        """Fit thirty trees for each class, or for the number."""
        from lightgbm import LGBMClassifier, LGBMRegressor  # noqa: PLC0415 - an extra

        kind = LGBMClassifier if self.predicts == "classes" else LGBMRegressor
        self.model_: Any = kind(
            n_estimators=30,
            learning_rate=0.1,
            num_leaves=15,
            max_bin=255,
            reg_lambda=20.0,
            random_state=self.random_state,
            deterministic=True,
            force_col_wise=True,
            n_jobs=1,
            verbose=-1,
        ).fit(features, answer)
        if self.predicts == "classes":
            self.classes_ = self.model_.classes_
        return self

    def predict(self, features: Float64) -> Any:  # noqa: ANN401 - scikit-learn's
        """Return the predicted class or number."""
        return np.asarray(self.model_.predict(features))

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - scikit-learn's
        """Return `predict_proba` if classes are predicted."""
        if name == "predict_proba" and self.__dict__.get("predicts") == "classes":
            return self._chances
        raise AttributeError(name)

    def _chances(self, features: Float64) -> Any:  # noqa: ANN401 - scikit-learn's
        return np.asarray(self.model_.predict_proba(features))
