#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT: the code of OBJECT..., which define mpi_… and call MPI_…, as pmpi_… that calls PMPI_….
# Data that others define keep their names.
# Usage: profiling-names.sh OUT LD NM OBJCOPY OBJECT...
set -eu
out=$1 ld=$2 nm=$3 objcopy=$4
shift 4
"$ld" -r -o "$out" "$@"
{
  "$nm" -P --defined-only "$out" | sed -n 's/^\(mpix\{0,1\}_[^ ]*\) .*/\1 p\1/p'
  "$nm" -P --undefined-only "$out" | sed -n 's/^\(MPIX\{0,1\}_[^ ]*\) .*/\1 P\1/p'
} >"$out.names"
[ -s "$out.names" ] || { echo "profiling-names.sh: $* have no procedures of MPI" >&2; exit 1; }
"$objcopy" --redefine-syms="$out.names" "$out"
