#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# docs/results.md: measure on a quiet machine, part by part if need be, then draw the page.
#
#   sudo scripts/results.sh measure DIR [PART...]   all parts, about 20 minutes, or some of them
#   scripts/results.sh page DIR >docs/results.md    of what is there; no root
#   scripts/results.sh page FILE                    of one recording of wakecost explain
#
# Parts, each of which may be measured again alone:
#   main        the experiment (10 min)                             explain.wakecost
#   slots-up    the same with 4,096 futex slots throughout (2 min)  slots-up.wakecost
#   one-other   all on one futex in another bucket (2 min)          one-other.wakecost
#   one-pair    all on one futex in the pair's bucket (2 min)       one-pair.wakecost
#   java        a JVM with 0, 4,000 and 16,000 parked (4 min)       java-N.txt
#   ceiling     how many threads there can be (10 s)                ceiling.txt
#
# Every number stands under the command that printed it.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
wakecost=${WAKECOST:-$root/.output/wakecost}
all_parts='main slots-up one-other one-pair java ceiling'

usage() {
	sed -n '3,16s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

# ---- measuring ----

# Of explain: the arguments of a part, as they are typed.
explain_args() {
	case $1 in
	main) echo '' ;;
	slots-up) echo '--quick -P futex_slots=4096' ;;
	one-other) echo '--quick --background futex-one -P bucket=other --parked 0,4000,16000' ;;
	one-pair) echo '--quick --background futex-one -P bucket=pair --parked 0,4000,16000' ;;
	esac
}

file_of() {
	[ "$1" = main ] && echo explain.wakecost || echo "$1.wakecost"
}

# kept FILE TYPED COMMAND...: what it prints, below what is typed; not kept when it fails.
kept() {
	local file=$1 typed=$2
	shift 2
	{
		printf '$ %s\n' "$typed"
		"$@"
	} >"$file.new"
	mv "$file.new" "$file"
}

measure_java() {
	local n cpu what typed
	command -v javac >/dev/null || {
		echo 'results.sh: java: no JDK (javac): apt-get install default-jdk-headless' >&2
		return 1
	}
	javac -d "$dir" "$root/tests/root/java/Parked.java"
	# the pair on one CPU, as in the experiment
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	for n in 0 4000 16000; do
		what=()
		[ "$n" != 16000 ] || what=(--what-if futex-slots=4096 -r 6)
		typed="sudo wakecost explain -d 3s ${what[*]}${what[0]:+ }-- taskset -c $cpu java -Xss256k -cp . Parked $n"
		echo "results.sh: $typed" >&2
		(cd "$dir" && kept "java-$n.txt" "$typed" "$wakecost" explain -d 3s "${what[@]}" -- \
			taskset -c "$cpu" java -Xss256k -cp . Parked "$n")
	done
}

measure() {
	local part args
	case " $all_parts " in
	*" $1 "*) part=$1 ;;
	*) usage ;;
	esac
	case $part in
	java) measure_java ;;
	ceiling)
		kept "$dir/ceiling.txt" 'sudo wakecost ceiling' "$wakecost" ceiling
		;;
	*)
		read -ra args <<<"$(explain_args "$part")"
		echo "results.sh: sudo wakecost explain ${args[*]} -o $(file_of "$part")" >&2
		"$wakecost" explain "${args[@]}" -o "$dir/$(file_of "$part")" >/dev/null
		;;
	esac
}

# ---- the page ----

value() {
	jq -r "$1" <<<"$json"
}

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

take() {
	file=$1
	name=$(basename "$file")
	json=$("$wakecost" report -j "$file")
	[ "$(value .schema)" = wakecost.explain/1 ] || {
		echo "results.sh: $file is not of wakecost explain" >&2
		exit 1
	}
	again=$("$wakecost" report "$file" 2>/dev/null | sed -n 's/^again: //p')
}

table_head() {
	printf '| what | value | command |\n|---|---|---|\n'
}

page_main() {
	local i
	cat <<EOF
# Results of one full run

Written by \`scripts/results.sh\` from recordings; nothing in it is typed by hand. How it is measured and
what it cannot say: [method.md](method.md).

- kernel: $(value '.host.kernel // "unknown"'), scheduler: $(value '.host.scheduler // "unknown"')
- CPU: $(value '.host.cpu_model // "unknown"'), $(value '.host.cpus // "?"') of them; virtualised: $(value '.host.virtualised // "no"')
- load while it began: $(value '.host.load // "unknown"')
- wakecost $(value .tool.version), $(value .rounds) rounds, seed $(value .seed)$(value 'if .interrupted then ", interrupted" else "" end')

The recording was made with

    $again -o $name

EOF
	if [ "$(value '.warnings | length')" -gt 0 ]; then
		printf '**What makes figures doubtful here:**\n\n'
		value '.warnings[] | "- " + .'
		echo
	fi
	printf '## The answer\n\n'
	value '.verdicts[] | "- " + .'
	printf '\n## Its figures\n\nTimes in nanoseconds; in brackets the 95 %% interval.\n\n'
	table_head
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
	printf '\n## All of it, with intervals\n\n'
	shown "wakecost report -v $name" "$wakecost" report -v "$file"
	printf '## Beside the book\n\n'
	shown "wakecost compare --book $name" "$wakecost" compare --book "$file"
}

page_other() {
	local title=$1 must=$2
	cat <<EOF
## $title

    $again -o $name

It must say: $must. It says:

$(value '.verdicts[] | "- " + .')

EOF
	table_head
	number 'a handoff, nobody parked' .base
	number 'most parked' '.levels[-1].parked' .
	number '.. growth' '.levels[-1].growth'
	number '.. task count' '.levels[-1].causes[0].effect'
	number '.. which waiter' '.levels[-1].causes[1].effect'
	number 'checks' .checks 'group_by(.result) | map("\(length) \(.[0].result)") | join(", ")'
	echo
}

page_texts() {
	local title=$1 one
	shift
	for one in "$@"; do
		[ -r "$one" ] || continue
		[ -z "$title" ] || printf '## %s\n\n' "$title"
		title=
		printf '```\n'
		cat "$one"
		printf '```\n\n'
	done
}

page() {
	local where=$1 part
	[ -d "$where" ] || {
		take "$where"
		page_main
		page_end
		return
	}
	take "$where/explain.wakecost"
	page_main
	for part in slots-up one-other one-pair; do
		[ -r "$where/$part.wakecost" ] || continue
		take "$where/$part.wakecost"
		case $part in
		slots-up) page_other 'With futex slots raised throughout' 'no growth' ;;
		one-other) page_other 'All on one futex, in another bucket' 'no growth' ;;
		one-pair) page_other "All on one futex, in the pair's bucket" 'which waiter' ;;
		esac
	done
	page_texts 'A JVM, by LockSupport.park' "$where"/java-{0,4000,16000}.txt
	page_texts 'How many threads' "$where/ceiling.txt"
	name=explain.wakecost
	page_end
}

page_end() {
	cat <<EOF
## As a page

    wakecost report --html results.html $name
EOF
}

case ${1:-} in
measure)
	[ $# -ge 2 ] || usage
	dir=$2
	shift 2
	mkdir -p "$dir"
	# shellcheck disable=SC2086 # a list of words
	[ $# -gt 0 ] || set -- $all_parts
	for one in "$@"; do
		measure "$one"
	done
	;;
page)
	if [ $# -ne 2 ] || [ ! -r "$2" ]; then
		usage
	fi
	page "$2"
	;;
*) usage ;;
esac
