#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Writes OUT, what components are linked against instead of the engine LIB: a shared object of the
# same name that has the symbols of one version node and no code. So the linker refuses a component
# that uses more than the SDK. OUT keeps its time when nothing changed.
# Usage: link-stub.sh LIB NODE OUT CC NM
set -eu
lib=$1 node=$2 out=$3 cc=$4 nm=$5
"$nm" -D --defined-only "$lib" | sed -n "s/^[0-9a-f]* [A-Za-z] \(.*\)@@$node\$/\1/p" | sort >"$out.names"
[ -s "$out.names" ] || { echo "link-stub.sh: $lib has no symbols of the version node $node" >&2; exit 1; }
if [ -e "$out" ] && cmp -s "$out.names" "$out.made"; then exit 0; fi
{
  echo '.section .note.GNU-stack,"",%progbits'
  echo .text
  while read -r name; do printf '.globl %s\n.type %s, %%function\n%s:\n' "$name" "$name" "$name"; done <"$out.names"
} >"$out.s"
{ echo "$node {"; sed 's/$/;/' "$out.names"; echo "};"; } >"$out.map"
soname=$(LC_ALL=C "${READELF:-readelf}" -dW "$lib" | sed -n 's/.*Library soname: \[\(.*\)\]/\1/p')
"$cc" -shared -nostdlib -o "$out" "$out.s" "-Wl,-soname,$soname" "-Wl,--version-script=$out.map"
cp "$out.names" "$out.made"
rm -f "$out.s" "$out.map"
