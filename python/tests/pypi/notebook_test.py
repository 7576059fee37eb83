"""The tutorial runs from top to bottom, in a kernel of its own."""

import os
import pathlib

import nbformat
from nbclient import NotebookClient

SOURCE = pathlib.Path(os.environ.get("DUETS_SOURCE_DIR", pathlib.Path(__file__).resolve().parents[3]))


def test_tutorial(tmp_path):
    notebook = nbformat.read(SOURCE / "examples" / "python" / "tutorial.ipynb", as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert any("<svg" in output.get("data", {}).get("text/html", "") for output in shown)
    assert not any(output.output_type == "error" for output in shown)
