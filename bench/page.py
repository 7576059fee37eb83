"""What the parts of the benchmarks share: the one page, its tables, and what is said of the machine."""

import os
import subprocess
import sys


def table(head, rows):
    """Markdown that can be read as it is."""
    lines = [tuple(head), tuple("---" for _ in head)] + [tuple(map(str, row)) for row in rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
        for line in lines
    )


def verdict(met):
    return "met" if met else "missed"


def add_section(path, title, text):
    """Prints the section and adds it to the page."""
    section = f"\n## {title}\n\n{text.rstrip()}\n"
    print(section, flush=True)
    with open(path, "a", encoding="utf-8") as page:
        page.write(section)


def blas_cores():
    """OpenBLAS of Debian 12 does not know newer processors and takes them for one of 2004."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read()
    cores = [None]
    if " avx2 " in flags:
        cores.append("Haswell")
    if " avx512f " in flags:
        cores.append("SkylakeX")
    return cores


def blas_environment(core):
    """The environment of a process whose OpenBLAS shall take the processor for this one."""
    return {**os.environ, "OPENBLAS_CORETYPE": core} if core else dict(os.environ)


def blas_name():
    link = subprocess.run(
        ["readlink", "-f", "/etc/alternatives/libblas.so.3-x86_64-linux-gnu"],
        stdout=subprocess.PIPE,
        text=True,
    ).stdout.strip()
    return os.path.basename(os.path.dirname(link)) or "of the system"


def memory_bytes():
    """What the machine has."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def machine():
    model, compiler = "unknown processor", "unknown compiler"
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    try:
        compiler = subprocess.run(
            ["c++", "--version"], check=True, stdout=subprocess.PIPE, text=True
        ).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        pass
    return (
        f"{model}, {os.cpu_count()} cores, {memory_bytes() / 2**30:.0f} GiB, load "
        f"{os.getloadavg()[0]:.1f}; {compiler}; {libraries()}"
    )


def libraries():
    import numpy
    import scipy
    import sklearn

    return (
        f"NumPy {numpy.__version__}, SciPy {scipy.__version__}, scikit-learn "
        f"{sklearn.__version__}, BLAS {blas_name()}"
    )


def main():
    """usage: page.py PAGE PARTS     begins a new page"""
    path, parts = sys.argv[1:]
    with open(path, "w", encoding="utf-8") as page:
        page.write(f"# Benchmarks\n\nParts: {parts}. {machine()}.\n")


if __name__ == "__main__":
    main()
