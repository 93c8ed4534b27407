#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# between_hosts.sh CLUSTER MPIEXEC PROGRAM: two jobs that use TCP alone, each on a host of its own,
# meet by a port. Each listened on loopback alone before. Exit status 77: no such hosts can be made
# here.
set -eu
if [ "$1" != --inside ]; then
  if ! reason=$("$1" 2 true 2>&1); then
    echo "skipped: private hosts cannot be made here: $reason"
    exit 77
  fi
  exec "$1" 2 "$0" --inside "$2" "$3"
fi
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
mkfifo "$directory/port"
for ranks in 1 3; do
  job="$2 --timeout 60 -n $ranks --mca btl self,tcp $3"
  "$CLUSTER_SHELL" node1 "$job server $directory/port" &
  port=$(timeout 60 cat "$directory/port")
  "$CLUSTER_SHELL" node2 "$job client '$port'"
  wait $!
done
