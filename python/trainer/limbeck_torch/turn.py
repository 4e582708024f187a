"""One response while it is being said: its tokens, their probabilities, its stop sequences and its allowed set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

from .errors import WorkFailed
from .rng import Rng
from .slots import Slot
from .snapshot import Source

Trie = dict[int, Any]


@dataclass
class Said:
    """A response."""

    tokens: list[int]
    logprobs: list[float]
    sampled: list[float]
    stopped: bool
    offsets: list[int] | None
    ids: list[int] | None


@dataclass
class Turn:
    """A request for one response, and how far it is."""

    source: Source
    prompt: list[int]
    limit: int
    temperature: float
    top_k: int
    top_p: float
    min_p: float
    stop: Sequence[Sequence[int]]
    allowed: Trie | None
    rng: Rng
    done: Callable[[Said | Exception], None]
    slot: Slot | None = None
    fed: int = 0
    """Tokens of the prompt that were read, or are being read by a step that was started."""
    launched: int = 0
    """Tokens asked for in steps that were started; the last of them may not be known yet."""
    over: bool = False
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    sampled: list[float] = field(default_factory=list)
    offsets: list[int] = field(default_factory=lambda: [0])
    ids: list[int] = field(default_factory=list)
    confined: bool = False

    @property
    def restricted(self) -> bool:
        """Whether it draws from less than the whole distribution."""
        return self.confined or self.top_k > 0 or self.top_p < 1 or self.min_p > 0

    def take(self, token: int, logprob: float, sampled: float) -> bool:
        """The next token; whether the response is over with it."""
        self.tokens.append(token)
        self.logprobs.append(logprob)
        self.sampled.append(sampled)
        if self.confined:
            self.ids.extend(self.allowed or {})
            self.offsets.append(len(self.ids))
            self.allowed = (self.allowed or {})[token]
            if not self.allowed:
                return self._finish(True)
        if any(len(ids) <= len(self.tokens) and self.tokens[-len(ids) :] == list(ids) for ids in self.stop):
            return self._finish(True)
        return self._finish(False) if len(self.tokens) >= self.limit else False

    def fail(self, error: Exception) -> None:
        """Ends it without a response."""
        if not self.over:
            self.over = True
            self.done(error)

    def _finish(self, stopped: bool) -> bool:
        self.over = True
        offsets, ids = (self.offsets, self.ids) if self.confined else (None, None)
        self.done(Said(self.tokens, self.logprobs, self.sampled, stopped, offsets, ids))
        return True


def trie_of(sequences: Sequence[Sequence[int]]) -> Trie:
    """The allowed sequences by their first token, and so on; refused where one is the beginning of another."""
    root: Trie = {}
    ends: set[int] = set()
    for sequence in sequences:
        node = root
        for token in sequence:
            if id(node) in ends:
                raise _ambiguous(token)
            node = node.setdefault(token, {})
        if node:
            raise _ambiguous(next(iter(node)))
        ends.add(id(node))
    return _ordered(root)


def _ordered(node: Trie) -> Trie:
    return {token: _ordered(node[token]) for token in sorted(node)}


def _ambiguous(token: int) -> WorkFailed:
    return WorkFailed(
        f"An allowed sequence is the beginning of another (it ends before token {token}); add an end token to every sequence."
    )
