"""Many agents tune one noisy system together and exchange very little data.

    import duets
    best = duets.maximize(lambda x, y: -(x - 0.3) ** 2 - (y - 0.7) ** 2,
                          {"x": duets.Float(0, 1), "y": duets.Float(0, 1)})
    print(best.recommendation)

``maximize`` and ``minimize`` tune a function, ``Study`` does the same by ask and tell, ``Agent`` takes part in
a fleet, ``load`` reads results. ``duets.models`` and ``duets.research`` are for researchers,
``duets.optuna`` and ``duets.sklearn`` for users of these libraries.
"""

from . import errors
from ._core import version as __version__
from .agent import Agent
from .errors import (
    ConnectionError,
    CoordinatorSetBack,
    DecodeError,
    DivergedError,
    Error,
    ExhaustedError,
    FileError,
    Infeasible,
    InvalidError,
    NothingLeft,
    NumericError,
    ObjectiveError,
    PlatformError,
    ProtocolError,
    QuorumError,
    StorageError,
    TimeoutError,
)
from .result import Result, Table, load
from .spaces import Categorical, Float, Int
from .study import Query, Study, maximize, minimize

__all__ = [
    "Agent", "Categorical", "ConnectionError", "CoordinatorSetBack", "DecodeError", "DivergedError", "Error",
    "ExhaustedError", "FileError", "Float", "Infeasible", "Int", "InvalidError", "NothingLeft", "NumericError",
    "ObjectiveError", "PlatformError", "ProtocolError", "Query", "QuorumError", "Result", "StorageError", "Study",
    "Table", "TimeoutError", "errors", "load", "maximize", "minimize",
]
