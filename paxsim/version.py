"""The version of the package; a game is named by it together with seed, deal and line-up."""

__version__ = "0.1.0"
