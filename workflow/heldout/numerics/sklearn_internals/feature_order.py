"""The order in which scikit-learn's tree splitter visits the features of a node.

One array of features is shuffled anew at each node that looks for a split; of equally good splits
the feature visited first wins. A shuffle starts from the last one's result, and leaves out features
that were constant in the parent node, so the order at a node depends on all nodes visited before.
"""

from collections.abc import Container

RANDOM_MAX = 2**31 - 1
"""The seed of the shuffles is a whole number below this."""


class Visit:
    """The shuffled features after a visit; leads to the visits that may come next."""

    __slots__ = ("_drawn", "_draws", "_next", "features")

    def __init__(self, features: list[int], draws: "Draws", drawn: int = 0):
        self.features = features
        self._draws = draws
        self._drawn = drawn
        self._next: dict[tuple[int, bytes], Visit] = {}

    def next(self, known: int, constant: bytes) -> "Visit":
        """The visit of a node: how many features its parent knew as constant, and which are."""
        found = self._next.get((known, constant))
        if found is None:
            found = self._next[known, constant] = self._shuffle(known, constant)
        return found

    def first(self, features: Container[int]) -> int:
        """Which of the features, none of them constant, was visited first: the last in the array."""
        return next(feature for feature in reversed(self.features) if feature in features)

    def _shuffle(self, known: int, constant: bytes) -> "Visit":
        """Fisher-Yates from the end of the array.

        Features that turn out constant gather at the front, after those known to be; a known one
        that is drawn goes to the very front, only to be put back in the end.
        """
        features = self.features.copy()
        drawn = self._drawn
        numbers = self._draws.up_to(drawn + len(features))
        rest, passed, found = len(features), 0, 0
        while rest > known + found:
            at = passed + numbers[drawn] % (rest - found - passed)
            drawn += 1
            if at < known:
                to = passed
                passed += 1
            elif constant[features[at := at + found]]:
                to = known + found
                found += 1
            else:
                to = rest = rest - 1
            features[to], features[at] = features[at], features[to]
        features[:known] = self.features[:known]
        return Visit(features, self._draws, drawn)


class Draws:
    """The random numbers of one seed (xorshift, 32 bits), drawn when first needed."""

    def __init__(self, seed: int):
        self._state = seed or 1
        self._numbers: list[int] = []

    def up_to(self, count: int) -> list[int]:
        """At least the first `count` numbers."""
        state = self._state
        while len(self._numbers) < count:
            state ^= (state << 13) & 0xFFFFFFFF
            state ^= state >> 17
            state ^= (state << 5) & 0xFFFFFFFF
            self._numbers.append(state & RANDOM_MAX)
        self._state = state
        return self._numbers
