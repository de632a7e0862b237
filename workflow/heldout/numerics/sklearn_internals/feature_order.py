"""The order in which scikit-learn's tree splitter visits the features of a node.

One array of features is shuffled again at each node that is searched for a split; of equally good
splits the feature visited first wins. Each shuffle starts from the result of the previous one and
leaves out features that were constant in the parent node. So the order at a node depends on all
nodes visited before.
"""

from collections.abc import Container

RANDOM_MAX = 2**31 - 1
"""The seed of the shuffles is a whole number below this."""


class Visit:
    """The array of features after the visit of a node.

    Parameters
    ----------
    features
        The array; features that are visited earlier come later in it.
    numbers
        The random numbers of the tree.
    n_used
        How many of them have been used.
    """

    __slots__ = ("_n_used", "_next", "_numbers", "features")

    def __init__(self, features: list[int], numbers: "RandomNumbers", n_used: int = 0):
        self.features = features
        self._numbers = numbers
        self._n_used = n_used
        self._next: dict[tuple[int, bytes], Visit] = {}

    def next(self, n_known_constants: int, constant: bytes) -> "Visit":
        """The visit of the next node; computed once, for all depth limits that lead to it.

        Parameters
        ----------
        n_known_constants
            How many features were constant in the parent node.
        constant
            By feature: 1 if it is constant in the node.
        """
        key = n_known_constants, constant
        if key not in self._next:
            self._next[key] = self._shuffle(n_known_constants, constant)
        return self._next[key]

    def first(self, features: Container[int]) -> int:
        """Which of these features, none of them constant, was visited first: the last in the array."""
        return next(feature for feature in reversed(self.features) if feature in features)

    def _shuffle(self, n_known_constants: int, constant: bytes) -> "Visit":
        """scikit-learn's Fisher-Yates shuffle from the end of the array.

        The array begins with the features known to be constant from the parent; those found
        constant in this node follow. A known constant that is drawn moves to the very front, so that
        it is not drawn again; at the end the known constants get their old order back.
        """
        features = self.features.copy()
        n_used = self._n_used
        numbers = self._numbers.at_least(n_used + len(features))
        end, n_drawn_constants, n_found_constants = len(features), 0, 0
        while end > n_known_constants + n_found_constants:
            drawn = n_drawn_constants + numbers[n_used] % (
                end - n_found_constants - n_drawn_constants
            )
            n_used += 1
            if drawn < n_known_constants:
                target = n_drawn_constants
                n_drawn_constants += 1
            elif constant[features[drawn := drawn + n_found_constants]]:
                target = n_known_constants + n_found_constants
                n_found_constants += 1
            else:
                target = end = end - 1
            features[target], features[drawn] = features[drawn], features[target]
        features[:n_known_constants] = self.features[:n_known_constants]
        return Visit(features, self._numbers, n_used)


class RandomNumbers:
    """The random numbers of one seed (xorshift, 32 bits), computed when first needed."""

    def __init__(self, seed: int):
        self._state = seed or 1
        self._numbers: list[int] = []

    def at_least(self, count: int) -> list[int]:
        """The first `count` numbers, or more."""
        state = self._state
        while len(self._numbers) < count:
            state ^= (state << 13) & 0xFFFFFFFF
            state ^= state >> 17
            state ^= (state << 5) & 0xFFFFFFFF
            self._numbers.append(state & RANDOM_MAX)
        self._state = state
        return self._numbers
