# Copyright The loop_guard Authors
# SPDX-License-Identifier: Apache-2.0
#
# Prints the statement coverage of each package in a Go coverage profile and fails if one has less than `min` percent.
# Generated code is left out: mdatagen's tests are not ours.

NR > 1 && $1 !~ /\/generated_[^\/]*\.go:/ {
  package = $1
  sub(/\/[^\/]*$/, "", package)
  statements[package] += $2
  if ($3 > 0) covered[package] += $2
}

END {
  for (package in statements) {
    if (statements[package] == 0) continue
    percent = 100 * covered[package] / statements[package]
    printf "%6.1f %%  %s\n", percent, package | "sort -k3"
    if (percent < min) failed = failed "\n" package
  }
  close("sort -k3")
  if (failed) {
    print "less than " min " % covered:" failed
    exit 1
  }
}
