#!/bin/sh
# scripts/format.sh [--check]: formats all C++ sources in place; with --check changes nothing and fails on a difference.
set -eu
cd "$(dirname -- "$0")/.."
case ${1-} in
  '') set -- -i ;;
  --check) set -- --dry-run -Werror ;;
  *) echo "usage: scripts/format.sh [--check]" >&2; exit 2 ;;
esac
git ls-files -z --cached --others --exclude-standard '*.h' '*.cpp' | xargs -0 -r clang-format "$@"
