#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The page of explain in a real browser: by day and night, narrow and wide, with and without script.
# TAP. What the test needs and the program does not (playwright-core) is fetched as for flame.sh.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${WAKECOST_OUT:-$here/../../.output}
wakecost=${WAKECOST:-$out/wakecost}
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
[ -x "$wakecost" ] || skip "$wakecost is not built"

mkdir -p "$work"
if ! cmp -s "$here/package-lock.json" "$work/package-lock.json"; then
	cp "$here/package.json" "$work/"
	(cd "$work" && timeout 100 npm install --no-audit --no-fund --ignore-scripts >npm.log 2>&1) ||
		skip "npm could not fetch playwright-core: $(tail -n 1 "$work/npm.log")"
	cp "$here/package-lock.json" "$work/"
fi
"$wakecost" report -q --html - "$here/../golden/explain.wakecost" >"$work/explain.html"
export CHROMIUM NODE_PATH=$work/node_modules
exec timeout 200 node "$here/explain.js" "$work/explain.html"
