#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# wakecost lab on a kernel that make lab fetched: the same bytes twice, and growth at its place.

bats_require_minimum_version 1.5.0
load ../lib

setup_file() {
	[ -n "${LAB_KERNEL:-}" ] || skip "run by make lab"
	cd "$BATS_FILE_TMPDIR"
	lab handoff -P background=futex-own -P parked=0,4000 -o one.json
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

lab() {
	"$WAKECOST" lab "$@" --kernel "$LAB_KERNEL" --seeds 1 --handoffs 997 -q
}

# What is of the emulator and the workload, and not of the kernel, is shown on one.
once() {
	[ "$LAB_KERNEL" = 6.1 ] || skip "shown on 6.1"
	[ "${LAB_PART:-}" != quick ] || skip "shown by make lab"
}

# sum CELL COUNT [FILTER]: over the rows that FILTER keeps, per handoff.
sum() {
	jq ".cells[$1] | (.totals | map(select(${3:-true}) | .$2) | add) / .handoffs" "${4:-one.json}"
}

@test "every handoff slept, and was counted" {
	# a timer tick between a wake and the sleep after it, once or twice
	jq -e '.schema == "wakecost.lab/1" and (.cells | length == 2) and
		all(.cells[]; .handoffs == 997 and .waits_per_handoff > 0.99)' one.json
}

@test "two runs give the same bytes" {
	once
	lab handoff -P background=futex-own -P parked=0,4000 -o two.json
	cmp one.json two.json
}

@test "all stages are seen, in the size they have" {
	for stage in find select enqueue wait pick switch return outside; do
		awk -v n="$(sum 0 instructions ".stage == \"$stage\"")" 'BEGIN { exit !(n > 20) }'
	done
	awk -v n="$(sum 0 instructions)" 'BEGIN { exit !(n > 4000 && n < 9000) }'
}

@test "parked threads lengthen futex_wake in find, and nothing else by half as much" {
	jq -e '[.cells[] | .handoffs as $n | [.totals[] | {key: (.stage + " " + .function),
			value: (.instructions / $n)}] | from_entries] as [$a, $b]
		| [$b | to_entries[] | {key, more: (.value - ($a[.key] // 0))}] | sort_by(-.more)
		| .[0].key == "find futex_wake" and .[0].more > 50 and .[1].more < .[0].more / 2' \
		one.json
}

# What futex_wake runs in find, a handoff of each cell.
woke() {
	jq -r '.cells[] | .handoffs as $n | ([.totals[] | select(.stage == "find" and
		.function == "futex_wake").instructions] | add) / $n' "$1"
}

@test "four times as many waiters: four times as much more in futex_wake" {
	once
	lab handoff -P background=futex-own -P parked=0,2000,8000 -o dose.json
	run woke dose.json
	echo "$output"
	# 256 buckets: 7.8 and 31 waiters ahead by expectation, more or fewer in the pair's two
	awk -v a="${lines[0]}" -v b="${lines[1]}" -v c="${lines[2]}" \
		'BEGIN { exit !((c - a) / (b - a) > 2.4 && (c - a) / (b - a) < 6.5) }'
}

@test "a known number of waiters planted ahead: as many times the same instructions, to the instruction" {
	# where a process has a table of its own the pair's bucket can be chosen: Linux 6.17
	case $LAB_KERNEL in
	5.* | 6.? | 6.1[0-6]) skip "the bucket of a futex cannot be chosen on this kernel" ;;
	esac
	lab handoff -P background=futex-one -P bucket=pair -P parked=0,100,200,400 -o chain.json
	run woke chain.json
	echo "$output"
	awk -v a="${lines[0]}" -v b="${lines[1]}" -v c="${lines[2]}" -v d="${lines[3]}" 'BEGIN {
		x = (b - a) / 100; y = (c - b) / 100; z = (d - c) / 200
		print x, y, z
		exit !(y > 3 && y < 40 && x / y > 0.9 && x / y < 1.1 && z / y > 0.99 && z / y < 1.01)
	}'
	# and nothing else by a tenth of that
	jq -e '[.cells[1, 3] | .handoffs as $n | [.totals[] | {key: (.stage + " " + .function),
			value: (.instructions / $n)}] | from_entries] as [$a, $b]
		| [$b | to_entries[] | {key, more: (.value - ($a[.key] // 0))}] | sort_by(-.more)
		| .[0].key == "find futex_wake" and .[1].more < .[0].more / 10' chain.json
}

@test "instructions added in user space are found there, and nowhere else" {
	once
	# a busy wait of the wakee, which is over at once when a nanosecond is an instruction
	lab handoff -P gap_ns=0,3000 -o gap.json
	more=$(echo "$(sum 1 instructions '.function == "[user]"' gap.json) -
		$(sum 0 instructions '.function == "[user]"' gap.json)" | tr -d '\n' |
		awk '{ print $1 - $3 }')
	kernel=$(awk -v a="$(sum 1 instructions '.function != "[user]"' gap.json)" \
		-v b="$(sum 0 instructions '.function != "[user]"' gap.json)" \
		'BEGIN { print a - b }')
	echo "user space: $more, kernel: $kernel"
	awk -v m="$more" -v k="$kernel" 'BEGIN { exit !(m > 2700 && m < 3400 && k < 200) }'
}

@test "a ring of cold threads: hardly more instructions, many more misses" {
	once # in EEVDF the path depends on how many run
	lab ring -P threads=2,64 -o ring.json
	awk -v a="$(sum 0 instructions true ring.json)" -v b="$(sum 1 instructions true ring.json)" \
		-v c="$(sum 0 l1d_misses true ring.json)" -v d="$(sum 1 l1d_misses true ring.json)" \
		'BEGIN { print a, b, c, d; exit !(b < a * 1.05 && c < 5 && d > 40) }'
}
