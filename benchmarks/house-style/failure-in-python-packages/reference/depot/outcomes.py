"""What a function that can fail returns: `Settled` with a value or `Held` with a fault."""

from dataclasses import dataclass
from typing import Any

from depot.faults import VellmarshFault


@dataclass(frozen=True)
class Settled:
    value: Any

    @property
    def is_settled(self):
        return True

    def take(self):
        return self.value

    def then(self, step):
        """`step` takes the value and returns an outcome."""
        return step(self.value)

    def or_else(self, default):
        return self.value


@dataclass(frozen=True)
class Held:
    fault: VellmarshFault

    @property
    def is_settled(self):
        return False

    def take(self):
        raise self.fault

    def then(self, step):
        return self

    def or_else(self, default):
        return default
