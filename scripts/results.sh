#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/results.md from a recording: results.sh [--ceiling] FILE >docs/results.md
# FILE is what `sudo wakecost explain -o FILE` left on a quiet machine. Every number stands under the
# command that printed it. With --ceiling the limit of threads is looked for as well, on this machine.
set -euo pipefail

wakecost=${WAKECOST:-$(dirname "$0")/../.output/wakecost}
ceiling=
if [ "${1:-}" = --ceiling ]; then
	ceiling=1
	shift
fi
if [ $# -ne 1 ] || [ ! -r "$1" ]; then
	echo 'usage: results.sh [--ceiling] FILE >docs/results.md' >&2
	exit 2
fi
file=$1
name=$(basename "$file")
json=$("$wakecost" report -j "$file")

value() {
	jq -r "$1" <<<"$json"
}

if [ "$(value .schema)" != wakecost.explain/1 ]; then
	echo "results.sh: $file is not of wakecost explain" >&2
	exit 1
fi

# "command" as the reader would type it, and what it prints.
shown() {
	local typed=$1
	shift
	printf '```\n$ %s\n' "$typed"
	# what it says on standard error belongs to a terminal, not to a page
	"$@" 2>/dev/null
	printf '```\n\n'
}

# number WHAT PATH [FORMAT]: a row whose command gives the object that the value is made of. No pipe
# inside PATH: it would end the cell of the table.
effect='if . then "\(.ns) \(.ci95 | tojson)" else "not measured" end'
number() {
	local got
	got=$(value "$2 | ${3:-$effect}")
	# shellcheck disable=SC2016 # backquotes of Markdown
	printf '| %s | %s | `wakecost report -j %s \| jq %s` |\n' "$1" "$got" "$name" "'$2'"
}

again=$("$wakecost" report "$file" 2>/dev/null | sed -n 's/^again: //p')

cat <<EOF
# Results of one full run

Written by \`scripts/results.sh $name\` from one recording; nothing in it is typed by hand. How it is
measured and what it cannot say: [method.md](method.md).

- kernel: $(value '.host.kernel // "unknown"'), scheduler: $(value '.host.scheduler // "unknown"')
- CPU: $(value '.host.cpu_model // "unknown"'), $(value '.host.cpus // "?"') of them; virtualised: $(value '.host.virtualised // "no"')
- load while it began: $(value '.host.load // "unknown"')
- wakecost $(value .tool.version), $(value .rounds) rounds, seed $(value .seed)$(value 'if .interrupted then ", interrupted" else "" end')

The recording was made with

    $again -o $name

EOF
if [ "$(value '.warnings | length')" -gt 0 ]; then
	echo '**What makes figures doubtful here:**'
	echo
	value '.warnings[] | "- " + .'
	echo
fi

echo '## The answer'
echo
value '.verdicts[] | "- " + .'
echo
cat <<'EOF'
## Its figures

Times in nanoseconds, `[low, high]` the 95 % interval.

| what | value | command |
|---|---|---|
EOF
number 'a handoff, nobody parked' .base
number 'two equal cells differ by' .noise
number 'measuring adds' .tool_cost
number 'most parked' '.levels[-1].parked' .
number '.. a handoff then' '.levels[-1].handoff'
number '.. growth' '.levels[-1].growth'
for i in $(seq 0 $(($(value '.levels[-1].causes | length') - 1))); do
	number ".. $(value ".levels[-1].causes[$i].cause")" ".levels[-1].causes[$i].effect"
done
number 'slope, ns a parked task' .slope \
	'"\(.ns_per_task * 1000 | round / 1000) \(.ci95 // [] | map(. * 1000 | round / 1000) | tojson)"'
number 'checks' .checks 'group_by(.result) | map("\(length) \(.[0].result)") | join(", ")'
cat <<'EOF'

## All of it, with intervals

EOF
shown "wakecost report -v $name" "$wakecost" report -v "$file"
cat <<'EOF'
## Beside the book

EOF
shown "wakecost compare --book $name" "$wakecost" compare --book "$file"
if [ -n "$ceiling" ]; then
	cat <<'EOF'
## How many threads

EOF
	shown 'sudo wakecost ceiling' "$wakecost" ceiling
fi
cat <<EOF
## As a page

    wakecost report --html results.html $name
EOF
