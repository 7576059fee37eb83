"""Exceptions. Their texts are those of the program: ``field = value: constraint``, and what to do."""

import builtins


class Error(Exception):
    """Base of all exceptions of duets."""


class InvalidError(Error, ValueError):
    """An argument or a key of the study breaks its constraint."""


class DecodeError(Error):
    """A file or message that this version cannot read."""


class ProtocolError(Error):
    """A call that does not fit the state of the study."""


class NumericError(Error, ArithmeticError):
    """A factorisation or bound that double precision cannot meet."""


class ExhaustedError(Error):
    """The sampler used up its cap; the text says what to change."""


class DivergedError(Error):
    """Stored answers or an agent belong to another run."""


class PlatformError(Error):
    """This machine does not compute the bits that a run needs."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class StorageError(Error):
    """A journal is damaged, in use by another process, or cannot be written."""


class CoordinatorSetBack(StorageError):
    """The coordinator has lost what this agent has sent; join again with the same journal."""


class ConnectionError(Error, builtins.ConnectionError):
    """The coordinator cannot be reached, or refuses the connection."""


class NothingLeft(ConnectionError):
    """The coordinator cannot be reached, and need not be: it has everything."""


class TimeoutError(Error, builtins.TimeoutError):
    """Timed out."""


class QuorumError(Error):
    """Too few agents are left."""


class ObjectiveError(Error):
    """The function failed too often, or gave an answer that the study has no use for."""


class Infeasible(Exception):
    """Raise it in your function where a point cannot be measured: ``raise duets.Infeasible("too hot")``.

    It counts as the study's ``infeasible_value``; without one the run ends with ObjectiveError.
    """
