#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# killed.sh MPIEXEC PROGRAM PLUGINS: runs killed.c with a rank that dies in each kind of call. The
# survivors must see it in that call, the job must end well, and nothing but the file may remain.
set -eu
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
fail() {
  echo "$1"
  cat "$directory/out" "$directory/err"
  exit 1
}
for rules in open=KILL write=KILL write=KILL@4096 read=KILL read=KILL@4096 sync=KILL close=KILL; do
  for victim in 0 1 2; do
    status=0
    "$1" --timeout 60 -n 3 --enable-recovery --mca mca_component_path "$3:SYSTEM" "$2" "$rules" $victim "$directory" \
      >"$directory/out" 2>"$directory/err" || status=$?
    [ $status = 0 ] || fail "$rules at rank $victim: mpiexec ends with status $status"
    expected=$(for rank in 0 1 2; do [ $rank = $victim ] || echo "rank $rank: ${rules%%=*}, 0 wrong bytes"; done)
    [ "$(sort "$directory/out")" = "$expected" ] || fail "$rules at rank $victim: the survivors say something else"
    rm -f "$directory/out" "$directory/err" "$directory/killed"
    [ -z "$(ls -A "$directory")" ] || fail "$rules at rank $victim: something remains in the directory"
  done
done
