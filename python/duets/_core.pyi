"""What the package is made of; no interface for users."""

from typing import Any

version: str

def __getattr__(name: str) -> Any: ...
