#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# What the completion offers. Usage: check_completion.sh BIN_DIR SCRIPT
set -u
PATH=$1:$PATH
HOME=$(mktemp -d)
export PATH HOME
trap 'rm -rf "$HOME"' EXIT
source "$2"
failures=0

# offers WORDS... -- EXPECTED...: the last of WORDS is being completed; all expected words must be
# offered.
offers() {
  local words=() expected
  while [ "$1" != ... ]; do words+=("$1"); shift; done
  shift
  COMP_WORDS=("${words[@]}")
  COMP_CWORD=$((${#words[@]} - 1))
  _tessera_complete "${words[0]}" "${words[-1]}" "${words[-2]}"
  for expected in "$@"; do
    if ! printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$expected"; then
      echo "FAILED: ${words[*]}: offers '${COMPREPLY[*]}', not $expected"
      failures=$((failures + 1))
    fi
  done
}

offers ompi-info --d ... --diff --doctor --dump
offers ompi-info --framework "" ... boot btl coll core op pml topo
offers ompi-info --component "" ... self sm tcp ob1 basic
offers ompi-info --why btl_tcp_s ... btl_tcp_sndbuf
offers ompi-info --level "" ... 1 9
offers ompi-info --path "" ... prefix libdir
offers ompi-info --param "" ... all btl coll
offers ompi-info --param btl "" ... all sm tcp
offers mpiexec --ti ... --timeout
offers mpiexec -n 2 --mca coll_basic_allr ... coll_basic_allreduce_algorithm
offers mpiexec --mca coll_basic_allreduce_algorithm r ... ring rabenseifner recursive_doubling reduce_bcast
offers mpiexec --mca btl "" ... self sm tcp
offers mpirun --mca mca_strict "" ... true false
offers mpirun --mca btl_tcp_sndbuf "" ...
[ "${#COMPREPLY[@]}" = 0 ] || { echo "FAILED: values for a range: ${COMPREPLY[*]}"; failures=1; }
offers mpiexec tru ... true
touch "$HOME/file.yaml"
offers mpiexec --tune "$HOME/fi" ... "$HOME/file.yaml"
exit $((failures > 0))
