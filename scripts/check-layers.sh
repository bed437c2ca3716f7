#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Proves that dependencies run one way: check-layers.sh [ROOT]
# One line a violation, exit status 1 if there is any. The tables are the rule; what a new file
# needs beyond them is a question of design, not of this script.
set -euo pipefail
shopt -s nullglob globstar

cd "${1:-.}"

# Who may include what of ours: folder, then folders or single files. Its own it may always.
layers() {
	cat <<-'EOF'
		user            user/cli user/util
		user/cli        user/experiment user/probe user/output user/lab user/model user/util
		user/experiment user/probe user/symbol user/model user/util
		user/lab        user/experiment user/model user/util
		user/lab/guest
		user/lab/plugin
		user/probe      user/model user/util bpf/wakecost.h bpf/hist.h bpf/stamp.h
		user/output     user/symbol user/model user/util
		user/model      user/util bpf/wakecost.h bpf/hist.h
		user/symbol     user/util
		user/util
		workloads       bpf/stamp.h
		bpf             vmlinux
		vmlinux
		tests           user user/cli user/experiment user/lab user/probe user/output user/model user/symbol user/util workloads bpf vmlinux
	EOF
}

# Foreign headers (extended regular expression) and their only homes (path prefixes).
foreign() {
	cat <<-'EOF'
		^bpf/|^linux/(bpf|btf)\.h$|\.skel\.h$             user/probe/ bpf/
		^sqlite3\.h$                                      user/model/
		^jansson\.h$                                      user/output/ user/experiment/workload.c user/experiment/shape.c user/experiment/chase.c user/lab/read.c
		^(gelf|libelf|dwarf|lzma)\.h$|^elfutils/          user/symbol/
		^zlib\.h$                                         user/util/gz.c
		^protobuf-c/|\.pb-c\.h$                           user/output/
		^cmocka\.h$                                       tests/
	EOF
}

lines_max=800
# Programs of their own, inside a guest and inside the emulator, say what they must themselves.
stdout_homes='^user/(main\.c$|cli/|output/|lab/guest/)'
stderr_homes='^user/(util/(log|progress)\.c$|lab/plugin/)'

failed=0
violation() {
	echo "$1"
	failed=1
}

# Strings emptied: what stands in them calls nothing.
unquoted() {
	sed -E 's/"([^"\\]|\\.)*"/""/g'
}

# Functions answer in $reply: a subshell for each of thousands of lines would take minutes.
folder_of() {
	case $1 in
	tests/*) reply=tests ;;
	user/*/*) reply=${1%/*} ;;
	*) reply=${1%%/*} ;;
	esac
}

declare -A allowed
while read -r folder rest; do
	allowed[$folder]=" $folder $rest "
done < <(layers)
patterns=()
homes=()
while read -r pattern home; do
	patterns+=("$pattern")
	homes+=("$home")
done < <(foreign)

# "FILE:LINE<tab>CODE" of every C file, comments taken out.
code() {
	awk '
	FNR == 1 { inside = 0 }
	{
		line = $0; out = ""
		while (line != "") {
			if (inside) {
				end = index(line, "*/")
				if (!end) break
				line = substr(line, end + 2); inside = 0
			} else if (match(line, /\/\*|\/\/|"([^"\\]|\\.)*"|\047([^\047\\]|\\.)+\047/)) {
				out = out substr(line, 1, RSTART - 1)
				token = substr(line, RSTART, RLENGTH)
				line = substr(line, RSTART + RLENGTH)
				if (token == "//") break
				if (token == "/*") inside = 1
				else out = out token
			} else {
				out = out line; line = ""
			}
		}
		if (out ~ /[^ \t]/) print FILENAME ":" FNR "\t" out
	}' "$@"
}

# The file of ours that an include names; empty when it is none.
resolve() {
	local from=$1 name=$2 path

	reply=
	for path in "${from%/*}/$name" "$name" "vmlinux/$name"; do
		if [ -f "$path" ]; then
			[[ $path != *..* ]] || path=$(realpath -m --relative-to=. "$path")
			reply=$path
			return
		fi
	done
}

check_ours() {
	local where=$1 from=$2 target=$3 home folder

	folder_of "$from"
	home=$reply
	folder_of "$target"
	folder=$reply
	if [ -z "${allowed[$home]:-}" ]; then
		violation "$where: folder $home is in no layer"
	elif [[ ${allowed[$home]} != *" $folder "* && ${allowed[$home]} != *" $target "* ]]; then
		violation "$where: $home must not include $target"
	fi
}

check_foreign() {
	local where=$1 from=$2 name=$3 i home

	[[ $from != tests/* ]] || return 0
	for i in "${!patterns[@]}"; do
		[[ $name =~ ${patterns[i]} ]] || continue
		for home in ${homes[i]}; do
			[[ $from != "$home"* ]] || continue 2
		done
		violation "$where: <$name> belongs to ${homes[i]}"
	done
}

check_include() {
	local where=$1 code=$2 from=${1%%:*} name
	local include='^[[:space:]]*#[[:space:]]*include[[:space:]]*(["<])([^">]+)[">]'

	if ! [[ $code =~ $include ]]; then
		violation "$where: include that names no file: $code"
		return
	fi
	name=${BASH_REMATCH[2]}
	if [ "${BASH_REMATCH[1]}" = '"' ]; then
		resolve "$from" "$name"
		if [ -n "$reply" ]; then
			check_ours "$where" "$from" "$reply"
			return
		fi
		# Made by the build, so it need not be there yet.
		[[ $name == *.skel.h || $name == *.pb-c.h ]] ||
			violation "$where: \"$name\" is no file of this tree"
	fi
	check_foreign "$where" "$from" "$name"
}

sources=(user/**/*.[ch] bpf/**/*.[ch] vmlinux/**/*.[ch] workloads/**/*.[ch] tests/**/*.[ch])
if [ ${#sources[@]} -eq 0 ]; then
	echo "no C files in $PWD"
	exit 1
fi

while IFS=$'\t' read -r where code; do
	check_include "$where" "$code"
done < <(code "${sources[@]}" | grep -E $'\t[[:space:]]*#[[:space:]]*include')

# Whoever is not an output says what it has to say through user/util/log.h.
while IFS=$'\t' read -r where code; do
	[[ ${where%%:*} =~ $stdout_homes ]] || violation "$where: prints to stdout: ${code##[[:space:]]}"
done < <(code user/**/*.[ch] | unquoted | grep -E $'\t(.*[^[:alnum:]_])?((v?printf|puts|putchar)[[:space:]]*\(|stdout([^[:alnum:]_]|$))')
while IFS=$'\t' read -r where code; do
	[[ ${where%%:*} =~ $stderr_homes ]] || violation "$where: writes to stderr: ${code##[[:space:]]}"
done < <(code user/**/*.[ch] | unquoted | grep -E $'\t(.*[^[:alnum:]_])?(perror[[:space:]]*\(|stderr([^[:alnum:]_]|$))')

while read -r lines file; do
	[ "$lines" -le $lines_max ] || [ "$file" = total ] ||
		violation "$file: $lines lines, at most $lines_max"
done < <(wc -l "${sources[@]}" scripts/*.sh tests/**/*.bats user/output/*/*.js user/output/*/*.css)

exit $failed
