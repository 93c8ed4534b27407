#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# full.sh MPIEXEC PROGRAM: runs full.c on real file systems that run full, in memory and on a loop
# device, and on one that is read-only. They are mounted in a mount namespace of this script's own,
# with which they go; that needs root: exit status 77 says why not.
set -eu
directory=$(mktemp -d)
image=$(mktemp)
trap 'rmdir "$directory"; rm -f "$image"' EXIT
memory="mount -t tmpfs -o size=1m tmpfs '$directory'"
device="mount -o loop '$image' '$directory'"
if ! reason=$(unshare -m sh -c "$memory" 2>&1); then
  echo "skipped: cannot mount a file system of its own: $reason"
  exit 77
fi
# full MOUNT: two ranks and three fill it.
full() {
  for ranks in 2 3; do
    unshare -m sh -c "$1 && '$MPIEXEC' --timeout 60 -n $ranks '$PROGRAM' '$directory' full"
  done
}
MPIEXEC=$1 PROGRAM=$2
full "$memory"
unshare -m sh -c "$memory && mount -o remount,ro '$directory' && '$1' --timeout 60 -n 2 '$2' '$directory' read_only"
for block in 1024 4096; do
  truncate -s 0 "$image"
  truncate -s 1280k "$image"
  if ! reason=$(mkfs.ext4 -q -F -b $block -m 0 -N 16 -O ^has_journal "$image" 2>&1) ||
    ! reason=$(unshare -m sh -c "$device" 2>&1); then
    echo "without ext4, of which an image cannot be made or mounted: $reason"
    exit 0
  fi
  full "$device"
done
