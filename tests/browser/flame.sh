#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Draws made-up recordings and works them in a real browser, as a user would. TAP. What the test
# needs and the program does not (playwright-core) is fetched into the build folder when run.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${WAKECOST_OUT:-$here/../../.output}
draw=$out/tests/helpers/flame_fixture
work=$out/browser

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

for name in chromium chromium-browser google-chrome; do
	CHROMIUM=$(command -v "$name") && break
done
[ -n "$CHROMIUM" ] || skip "no chromium"
command -v node >/dev/null || skip "no node"
command -v npm >/dev/null || skip "no npm"
[ -x "$draw" ] || skip "$draw is not built"

mkdir -p "$work"
if ! cmp -s "$here/package-lock.json" "$work/package-lock.json"; then
	cp "$here/package.json" "$work/"
	(cd "$work" && timeout 100 npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1) ||
		skip "npm could not fetch playwright-core: $(tail -n 1 "$work/npm.log")"
	cp "$here/package-lock.json" "$work/"
fi
for view in chain stage; do
	"$draw" jvm "$view" >"$work/$view.svg"
done
"$draw" jvm chain diff >"$work/diff.svg"
"$draw" db chain inverted >"$work/inverted.svg"
"$draw" hostile chain threads >"$work/hostile.svg"
"$draw" jvm chain nojs >"$work/still.svg"
export CHROMIUM NODE_PATH=$work/node_modules
exec timeout 300 node "$here/flame.js" "$work"
