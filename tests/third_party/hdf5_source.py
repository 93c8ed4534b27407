# SPDX-License-Identifier: BSD-3-Clause
"""Parallel HDF5 from Debian's source package, static and for C only, built with the installed
mpicc. Shared by the tests of this folder."""
from debian_source import build
from installed_prefix import jobs


def hdf5_library(source, folder, environment, *options):
    """Configures HDF5 in that folder, with those options besides, and makes its library."""
    folder.mkdir()
    more = {"cwd": folder, "env": environment}
    build("HDF5's configure", source / "configure", "CC=mpicc", "CFLAGS=-O1 -w", "--enable-parallel", "--disable-shared",
          "--disable-fortran", "--disable-cxx", *options, **more)
    build("HDF5's library", "make", jobs(), "-C", "src", **more)


def installed_hdf5(source, folder, environment, prefix):
    """The same, with the high-level library, installed in the prefix."""
    hdf5_library(source, folder, environment, f"--prefix={prefix}")
    for part in ("src", "hl/src"):
        build(f"HDF5's installation of {part}", "make", jobs(), "-C", part, "install", cwd=folder, env=environment)
