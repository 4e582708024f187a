"""Reading request bodies: every fault is collected with its place, and told at once as a 422."""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from .errors import Refusal

Place = tuple[str | int, ...]


class Faults:
    """What is wrong with a body."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    def add(self, place: Place, message: str, kind: str = "value_error") -> None:
        """Notes one fault."""
        self.found.append({"type": kind, "loc": list(place), "msg": message})

    def check(self) -> None:
        """Refuses the body where anything is wrong with it."""
        if self.found:
            raise Refusal(422, self.found[:20])


class Fields:
    """The fields of one JSON object. A getter notes a fault and answers with a harmless value."""

    def __init__(self, value: Any, faults: Faults, place: Place = ("body",)) -> None:
        self.faults = faults
        self.place = place
        self._values: dict[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            faults.add(place, "It must be an object.", "dict_type")

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._values.get(name) is not None

    def raw(self, name: str) -> Any:
        """The field as it came; None where it is missing."""
        return self._values.get(name)

    def fault(self, name: str, message: str) -> None:
        """Notes a fault of a field."""
        self.faults.add((*self.place, name), message)

    def _get(self, name: str, fits: Callable[[Any], bool], kind: str, default: Any, harmless: Any) -> Any:
        value = self._values.get(name)
        if value is None:
            if default is not _REQUIRED:
                return default
            self.faults.add((*self.place, name), "Field required", "missing")
            return harmless
        if fits(value):
            return value
        self.fault(name, f"It must be {kind}.")
        return harmless

    def text(self, name: str, default: Any = ...) -> Any:
        """A text of at most 4,096 characters."""
        wanted = _REQUIRED if default is ... else default
        return self._get(name, lambda v: isinstance(v, str) and len(v) <= 4_096, "a text", wanted, "")

    def flag(self, name: str, default: bool) -> bool:
        """True or false."""
        return self._get(name, lambda v: isinstance(v, bool), "true or false", default, default)

    def whole(self, name: str, default: Any = ..., least: int = -(2**53), most: int = 2**53) -> Any:
        """A whole number between two bounds."""
        wanted = _REQUIRED if default is ... else default
        kind = f"a whole number between {least} and {most}"
        return self._get(name, lambda v: type(v) is int and least <= v <= most, kind, wanted, 0)

    def number(self, name: str, default: float, fits: Callable[[float], bool], kind: str) -> float:
        """A finite number that fits."""
        return float(
            self._get(name, lambda v: type(v) in (int, float) and math.isfinite(v) and fits(v), kind, default, default)
        )

    def inner(self, name: str) -> "Fields":
        """An object that must be there."""
        value = self._values.get(name)
        if value is None:
            self.faults.add((*self.place, name), "Field required", "missing")
            return Fields({}, Faults(), (*self.place, name))
        return Fields(value, self.faults, (*self.place, name))

    def items(self, name: str) -> list[Any]:
        """A list with at least one entry."""
        return self._get(name, lambda v: isinstance(v, list) and len(v) > 0, "a list with at least one entry", _REQUIRED, [])


_REQUIRED = object()


def is_ids(value: Any) -> bool:
    """A list of whole numbers."""
    return isinstance(value, list) and set(map(type, value)) <= {int}


def is_numbers(value: Any) -> bool:
    """A list of finite numbers."""
    return isinstance(value, list) and set(map(type, value)) <= {int, float} and all(map(math.isfinite, value))


def is_id_lists(value: Any) -> bool:
    """A list of token sequences, none of them empty."""
    return isinstance(value, list) and all(is_ids(item) and len(item) > 0 for item in value)


def tokens_of(fields: Fields, vocabulary: int) -> list[int]:
    """The tokens of a `model_input` or `prompt`: chunks of encoded text."""
    tokens: list[int] = []
    for at, chunk in enumerate(fields.items("chunks")):
        if not isinstance(chunk, dict) or chunk.get("type", "encoded_text") != "encoded_text" or not is_ids(chunk.get("tokens")):
            fields.faults.add((*fields.place, "chunks", at), "It must be encoded text with a list of token ids.")
            return []
        tokens.extend(chunk["tokens"])
    if not tokens:
        fields.fault("chunks", "There are no tokens.")
    check_ids(fields, "chunks", tokens, vocabulary)
    return tokens


def check_ids(fields: Fields, name: str, ids: Sequence[int], vocabulary: int) -> None:
    """Token ids that the model does not have would read foreign memory; they are named instead."""
    if not ids or (min(ids) >= 0 and max(ids) < vocabulary):
        return
    wrong = next((token for token in ids if not 0 <= token < vocabulary), None)
    if wrong is not None:
        fields.fault(name, f"Token {wrong} is not in the vocabulary of {vocabulary}; allowed: 0 to {vocabulary - 1}.")
