#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# killed.sh MPIEXEC PROGRAM WAY OPTION...: runs killed.cpp with a process that dies in each kind of
# epoch. The survivors must see it, the job must end well, and nothing may remain. WAY: direct,
# where memory of others is reached without them.
set -eu
mpiexec=$1 program=$2 way=$3
shift 3
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir "$directory/tmp"
for case in fence start post wait lock unlock shared lock_all excluded flush long; do
  for victim in 0 1; do
    status=0
    TMPDIR=$directory/tmp "$mpiexec" --timeout 60 -n 3 --enable-recovery "$@" "$program" $case $victim "$way" \
      >"$directory/out" 2>"$directory/err" || status=$?
    expected=$(for rank in 0 1 2; do [ $rank = $victim ] || echo "rank $rank: done"; done)
    if [ $status != 0 ] || [ "$(sort "$directory/out")" != "$expected" ]; then
      echo "$case, rank $victim dies: status $status"
      cat "$directory/out" "$directory/err"
      exit 1
    fi
    [ -z "$(ls -A "$directory/tmp")" ] || { echo "$case, rank $victim dies: files are left"; exit 1; }
  done
done
