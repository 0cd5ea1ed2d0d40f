"""Models that sanitizers demand of every group: k-anonymity and further ones."""

from __future__ import annotations

from unmask.models.k_anonymity import KAnonymity
from unmask.models.privacy_model import AnyModel, PrivacyModel


class GroupModels:
    """Base of a sanitizer with the parameters `k` and `models`."""

    k: int
    models: tuple[PrivacyModel, ...]

    @property
    def needs_values(self) -> bool:
        """Whether a model is about sensitive values."""
        return any(model.needs_values for model in self.models)

    @property
    def claims(self) -> tuple[AnyModel, ...]:
        """The models that every release meets, however missing values count."""
        return (KAnonymity(self.k), *self.models)
