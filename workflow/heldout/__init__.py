"""heldout: how well will this learning procedure do on data it has not seen?"""

__version__ = "0.1.0"
