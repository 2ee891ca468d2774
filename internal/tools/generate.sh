#!/usr/bin/env bash
# Copyright The loop_guard Authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs mdatagen on metadata.yaml and brings the generated files up to date. With --check it changes nothing and fails if one is not.
#
# mdatagen takes the package name of the generated tests from the name of the directory it works in. A checkout may be called anything,
# so it works in a copy whose name is the package's.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

copy=$work/loopguardprocessor
mkdir "$copy"
cp "$root/go.mod" "$root/metadata.yaml" "$root/README.md" "$copy"
echo 'package loopguardprocessor' >"$copy/package.go"
(cd "$copy" && GOWORK=off GOFLAGS=-buildvcs=false go tool -modfile="$root/internal/tools/go.mod" mdatagen metadata.yaml)
rm "$copy/go.mod" "$copy/metadata.yaml" "$copy/package.go"
[ "$(tail -c1 "$copy/README.md")" = "" ] || echo >>"$copy/README.md"

stale=0
while IFS= read -r -d '' file; do
  path=${file#"$copy"/}
  cmp -s "$file" "$root/$path" && continue
  stale=1
  if [ "${1:-}" = --check ]; then
    echo "$path is not what metadata.yaml generates" >&2
  else
    mkdir -p "$root/$(dirname "$path")"
    cp "$file" "$root/$path"
    echo "wrote $path"
  fi
done < <(find "$copy" -type f -print0 | sort -z)

[ "${1:-}" != --check ] || exit "$stale"
