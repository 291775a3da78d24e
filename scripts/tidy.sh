#!/bin/sh
# scripts/tidy.sh [FOLDER ...]: clang-tidy on the sources of these folders (default: all); needs ./eddy test to have
# configured build/release. Tests are left out: Catch2's macros hide what they do from static analysis.
set -eu
cd "$(dirname -- "$0")/.."
[ $# -gt 0 ] || set -- framework science equations data apps
git ls-files -z --cached --others --exclude-standard -- "$@" | grep -z '\.cpp$' | grep -zv '_test\.cpp$' |
  xargs -0 -r -n 1 -P "$(nproc)" clang-tidy -p build/release --quiet
