#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# Two real threads with hostile names, recorded: every output is harmless, and has the names back.

bats_require_minimum_version 1.5.0
load ../lib
load root
load recorded

# 15 bytes each: markup, quotes, a newline; what separates, terminal escapes, no UTF-8
export WAKER=$'</g>&"\'\n\\%s`$(' WAKEE=$'a;b c,\t\e[31m\x80\xff'

setup_file() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
	[ -x "$PROBE" ] || skip "needs make check-root: no $PROBE"
	cd "$BATS_FILE_TMPDIR"
	mkfifo go
	# shellcheck disable=SC2153 # of root.bash
	"$ACTOR" pair n=101 waker_name="$WAKER" wakee_name="$WAKEE" <go >said 3>&- &
	local actor=$! go
	exec {go}>go
	await_lines said 1
	record_begin -p "$actor" -i 200ms --events --stacks all
	echo >&"$go"
	await_lines said 2
	sleep 0.5
	record_end
	echo >&"$go"
	exec {go}>&-
	wait "$actor"
}

setup() {
	need_probe
	cd "$BATS_FILE_TMPDIR"
}

# lacks REGEX FILE
lacks() {
	! LC_ALL=C grep -aqP "$1" "$2"
}

# No byte but printable ASCII and the newline.
printable() {
	lacks '[^ -~]' "$1"
}

# has FILE: of one line, the bytes of both names, once \xNN is read back; and nothing that is no
# printable ASCII. Lines folded for width are joined first.
has() {
	python3 - "$1" <<-'EOS'
		import os, re, sys
		data = open(sys.argv[1], "rb").read()
		bad = re.search(rb"[^ -~\n]", data)
		if bad:
		    sys.exit(f"{sys.argv[1]}: byte {bad.group()} at {bad.start()}")
		flat = re.sub(rb"\n +", rb"", data)
		plain = re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), flat)
		for name in ("WAKER", "WAKEE"):
		    name = os.environb[name.encode()]
		    if name.replace(b" ", b"") not in plain.replace(b" ", b""):
		        sys.exit(f"{sys.argv[1]}: no {name}:\n" + data[:2000].decode())
	EOS
}

# texts: strings of JSON on stdin, one a line; the names must be whole ones or within these.
among() {
	python3 -c '
import json, os, re, sys
texts = set()
def walk(v):
    if isinstance(v, dict):
        for k, x in v.items():
            walk(x)
    elif isinstance(v, list):
        for x in v:
            walk(x)
    elif isinstance(v, str):
        texts.add(re.sub(rb"\\x([0-9a-f]{2})", lambda m: bytes([int(m[1], 16)]), v.encode()))
walk(json.load(sys.stdin))
for name in ("WAKER", "WAKEE"):
    name = os.environb[name.encode()]
    if not any(name in t for t in texts):
        sys.exit(f"no {name} among {list(texts)[:60]}")'
}

@test "SQLite: the bytes as they are" {
	need_sqlite
	hex() {
		printf %s "$1" | od -An -tx1 | tr -d ' \n' | tr a-f A-F
	}
	[ "$(ask "SELECT hex(waker_comm) || ' ' || hex(wakee_comm) FROM pairs WHERE wakes = 101")" = \
		"$(hex "$WAKER") $(hex "$WAKEE")" ]
}

@test "the terminal: report by every key, and what -i prints" {
	has tool.out
	local by
	"$WAKECOST" report r.data >report.txt
	has report.txt
	for by in waker wakee process stack cpu class; do
		"$WAKECOST" report --by "$by" --color always r.data | sed 's/\x1b\[[0-9;]*m//g' >report.txt
		printable report.txt
	done
}

@test "JSON" {
	printable r.json
	jq '.rows.items[] | select(.wakes == 101) | [.waker.name, .wakee.name]' r.json | among
}

@test "CSV" {
	"$WAKECOST" export --format csv --force -o r.csv r.data
	printable r.csv
	python3 -c '
import csv, json, sys
print(json.dumps([[r["waker"], r["wakee"]] for r in csv.DictReader(open("r.csv", newline=""))]))' | among
}

@test "folded: names do not end at a semicolon, lines end in a number" {
	"$WAKECOST" export --format folded --threads --force -o r.folded r.data
	lacks '[\x00-\x09\x0b-\x1f\x7f]' r.folded
	lacks '[^0-9]$' r.folded
	python3 -c '
import json
print(json.dumps([l.rsplit(" ", 1)[0].split(";") for l in open("r.folded")]))' | among
}

@test "SVG: valid, one script, names as text" {
	"$WAKECOST" flame -q --threads -o r.svg r.data
	! command -v xmllint >/dev/null || xmllint --noout r.svg
	[ "$(grep -c '<script' r.svg)" -eq 1 ]
	python3 -c '
import json
import xml.etree.ElementTree as tree
print(json.dumps([e.text for e in tree.parse("r.svg").iter() if e.tag.endswith("}title")]))' | among
	"$WAKECOST" flame -q --threads --no-js -o still.svg r.data
	[ "$(grep -c '<script' still.svg)" -eq 0 ]
}

@test "pprof and perfetto, by an independent reader" {
	"$WAKECOST" export --format pprof --force -o r.pb.gz r.data
	python3 "$ROOT/tests/helpers/read_export.py" pprof r.pb.gz >pprof.json
	among <pprof.json
	"$WAKECOST" export --format perfetto --force -o r.pftrace r.data
	python3 "$ROOT/tests/helpers/read_export.py" perfetto r.pftrace >perfetto.json
	among <perfetto.json
	jq -se '[.. | strings | explode[]] | all(. >= 32)' pprof.json perfetto.json
}
