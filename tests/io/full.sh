#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full.sh MPIEXEC PROGRAM: runs full.c on a real file system that is full, then on one that is read-only. They are mounted
# in a mount namespace of this script's own, which needs root: exit status 77 says why not.
set -eu
directory=$(mktemp -d)
trap 'rmdir "$directory"' EXIT
mounted="mount -t tmpfs -o size=1m tmpfs '$directory'"
if ! reason=$(unshare -m sh -c "$mounted" 2>&1); then
  echo "skipped: cannot mount a file system of its own: $reason"
  exit 77
fi
for ranks in 2 3; do
  unshare -m sh -c "$mounted && '$1' --timeout 60 -n $ranks '$2' '$directory' full"
  unshare -m sh -c "$mounted && mount -o remount,ro '$directory' && '$1' --timeout 60 -n $ranks '$2' '$directory' read_only"
done
