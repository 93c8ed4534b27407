# SPDX-License-Identifier: BSD-3-Clause
"""The installed library, for tests that build programs of others with it."""
import os
import subprocess


def installed(build, prefix):
    """The compilers and mpiexec of the installed library are found first. TESSERA_PREFIX: one that
    is installed already."""
    if "TESSERA_PREFIX" in os.environ:
        prefix = os.environ["TESSERA_PREFIX"]
    else:
        subprocess.run(["cmake", "--install", build, "--prefix", prefix], check=True, capture_output=True)
    return {**os.environ, "PATH": f"{prefix}/bin:{os.environ['PATH']}"}


def jobs():
    """Of make. TESSERA_JOBS: 1 where others need the machine."""
    return f"-j{os.environ.get('TESSERA_JOBS', os.cpu_count())}"
