# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# For every bats file: load ../lib

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
WAKECOST_OUT=${WAKECOST_OUT:-$ROOT/.output}
WAKECOST=${WAKECOST:-$WAKECOST_OUT/wakecost}
export ROOT WAKECOST_OUT WAKECOST

# The commands there are, as completion names them.
commands() {
	"$WAKECOST" --complete '' | grep -v '^-'
}

# Skips where root is needed, with the reason on the line.
need_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}
