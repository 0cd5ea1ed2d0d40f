"""Generator of the published JSON Schemas from types of documents and models of files; `json_page` runs it."""

from __future__ import annotations

import ast
import inspect
import json
import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from unmask.documents import (
    audit,
    comparison,
    disclosure_risk,
    epsilon_audit,
    hardening,
    inspection,
    ledger_listing,
    measurement,
    reasoning,
    regime_evidence,
    retest,
    study,
)
from unmask.documents.published_schemas import FOLDER, named
from unmask.files.ledger_json import FORM, LedgerFile
from unmask.files.policies import PolicyFile
from unmask.files.release_json import ReleaseFile
from unmask.files.roles import Roles
from unmask.files.scenarios import ScenarioFile
from unmask.files.weights import WeightsFile


@dataclass(frozen=True)
class Kind:
    """A kind of document: the name of its schema, its title, and the type that describes it."""

    name: str
    title: str
    type: Any

    @property
    def is_file(self) -> bool:
        """Whether a model of files describes it: absent keys stand for null."""
        return isinstance(self.type, type) and issubclass(self.type, BaseModel)


OUTPUTS = [
    Kind(named(module.SCHEMA), module.SCHEMA, kind)
    for module, kind in (
        (audit, audit.ReportJson),
        (regime_evidence, regime_evidence.RegimeEvidenceJson),
        (measurement, measurement.MeasurementJson),
        (comparison, comparison.ComparisonJson),
        (disclosure_risk, disclosure_risk.DisclosureRiskJson),
        (hardening, hardening.HardeningJson),
        (inspection, inspection.InspectionJson),
        (ledger_listing, ledger_listing.LedgerListingJson),
        (study, study.StudyJson),
        (reasoning, reasoning.ReasoningJson),
        (epsilon_audit, epsilon_audit.EpsilonAuditJson),
        (retest, retest.RetestJson),
    )
]
FILES = [
    Kind("release-1", "release.json", ReleaseFile),
    Kind(f"ledger-{FORM}", "ledger.json", LedgerFile),
    Kind("policy-1", "policy.toml", PolicyFile),
    Kind("roles-1", "roles.toml", Roles),
    Kind("weights-1", "weights.toml", WeightsFile),
    Kind("scenario-1", "scenario.toml", ScenarioFile),
]


def documented(kind: type) -> dict[str, str]:
    """Return the documentation of each field of a class: the text below it, also of inherited fields."""
    found: dict[str, str] = {}
    for base in reversed([one for one in getattr(kind, "__orig_bases__", ()) if inspect.isclass(one)]):
        found |= documented(base) if base.__module__.startswith("unmask") else {}
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(body, ast.ClassDef)
    for field, text in zip(body.body, body.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = " ".join(words.split())
    return found


class _Schema(GenerateJsonSchema):
    """JSON Schema with a description of each key, without titles, and with the rule that what is null has a reason."""

    def field_title_should_be_set(self, schema: Any) -> bool:  # noqa: ARG002
        return False

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        found = self._described(super().typed_dict_schema(schema), schema["cls"], {})
        found["additionalProperties"] = False
        keys = found["properties"]
        if "why" in keys and {"type": "null"} in keys.get("value", {}).get("anyOf", ()):
            found["if"] = {"required": ["value"], "properties": {"value": {"type": "null"}}}
            found["then"] = {"properties": {"why": {"minLength": 1}}}
        return found

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        kind = schema["cls"]
        aliases = {name: field.alias for name, field in kind.model_fields.items() if field.alias is not None}
        return self._described(super().model_schema(schema), kind, aliases)

    def default_schema(self, schema: Any) -> JsonSchemaValue:
        found = super().default_schema(schema)
        if not found.get("default") or isinstance(found["default"], dict):
            found.pop("default", None)
        return found

    def _described(self, found: JsonSchemaValue, kind: type, aliases: Mapping[str, str]) -> JsonSchemaValue:
        found.pop("title", None)
        found["description"] = " ".join((inspect.getdoc(kind) or "").partition("\n\nFails")[0].split())
        for name, text in documented(kind).items():
            if (key := aliases.get(name, name)) in found["properties"]:
                found["properties"][key]["description"] = text
        return found


class _FileSchema(_Schema):
    """The same for files written by hand: a key that is left out stands for null, which TOML does not have."""

    def nullable_schema(self, schema: Any) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])


def schema_of(kind: Kind) -> dict[str, Any]:
    """Return the JSON Schema of a kind of document."""
    if kind.is_file:
        found = kind.type.model_json_schema(schema_generator=_FileSchema)
    else:
        found = TypeAdapter(kind.type).json_schema(schema_generator=_Schema)
    names = [name.removesuffix("Json") for name in found.get("$defs", ())]
    assert len(names) == len(set(names)), f"{kind.name}: two parts have one name; rename the class of one"
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": f"urn:unmask:schema:{kind.name}", "title": kind.title}
    text = re.sub(r'"((?:#/\$defs/)?_?[A-Z]\w*?)Json"', r'"\1"', json.dumps({**head, **found}))
    result: dict[str, Any] = json.loads(text)
    return result


def texts() -> dict[str, str]:
    """Return the text of each schema, by its name."""
    return {kind.name: json.dumps(schema_of(kind), indent=1, ensure_ascii=False) + "\n" for kind in (*OUTPUTS, *FILES)}


def write() -> None:
    """Write all schemas; those that no type describes any more are removed."""
    for path in FOLDER.glob("*.schema.json"):
        path.unlink()
    for name, text in texts().items():
        (FOLDER / f"{name}.schema.json").write_text(text, encoding="utf-8")
