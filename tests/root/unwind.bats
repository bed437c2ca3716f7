#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# User stacks of code that keeps no frame pointers.

bats_require_minimum_version 1.5.0
load ../lib
load root

setup_file() {
	[ "$(uname -m)" = x86_64 ] || skip "unwind tables are read for x86-64 only"
	command -v gcc >/dev/null || skip "no gcc"
	cd "$BATS_FILE_TMPDIR"
	build() {
		local out=$1
		shift
		gcc -O2 -fno-optimize-sibling-calls -pthread "$@" -o "$out" \
			"$ROOT/tests/root/unwind/chain.c"
	}
	build tables -fomit-frame-pointer
	build pointers -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
	build neither -fomit-frame-pointer -fno-asynchronous-unwind-tables -fno-unwind-tables
}

setup() {
	need_probe
	cd "$BATS_TEST_TMPDIR"
}

# recorded [OPTION...] -- COMMAND...: leaves wakee.folded, chain.folded and $cut.
recorded() {
	timeout 120 "$WAKECOST" record -o r.data "$@" >command.out
	"$WAKECOST" export --format folded --view wakee --metric count r.data >wakee.folded
	"$WAKECOST" export --format folded --view chain --metric count r.data >chain.folded
	"$WAKECOST" report -j r.data >report.json
	cut=$(jq .recording.user_stacks_cut_share report.json)
	export cut
}

# share_of FILE REGEX: of the wakes of those asleep on a futex, these have it in their stacks.
share_of() {
	awk -v re="$2" '/futex_wait_/ { n = $NF; all += n; if ($0 ~ re) some += n }
		END { if (!all) exit 1; print some / all }' "$1"
}

is() {
	awk -v a="$1" -v b="$3" "BEGIN { exit !(a $2 b) }" || {
		echo "not true: $1 $2 $3"
		cat wakee.folded
		return 1
	}
}

@test "a program without frame pointers: every call in order, after the first moments" {
	recorded --stacks all -- "$BATS_FILE_TMPDIR/tables" 50021
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;pthread_cond_wait;')" '>' 0.9
	# the waker's stack hangs from above
	is "$(share_of chain.folded 'pthread_cond_signal_.w.;f_.w.;e_.w.;d_.w.;c_.w.;b_.w.;a_.w.;play_.w.')" \
		'>' 0.9
	is "$cut" '<' 0.1
}

@test "the same by frame pointers alone is cut in libc" {
	recorded --stacks all --unwind fp -- "$BATS_FILE_TMPDIR/tables" 50021
	is "$(share_of wakee.folded ';a;b;c;d;e;f;')" '==' 0
	is "$cut" '>' 0.9
}

@test "a libc without frame pointers over a program with them" {
	recorded --stacks all -- "$BATS_FILE_TMPDIR/pointers" 50021
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;pthread_cond_wait;')" '>' 0.9
	is "$cut" '<' 0.1
}

@test "neither frame pointers nor tables: cut, and it says so" {
	recorded --stacks all -- "$BATS_FILE_TMPDIR/neither" 50021
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;')" '==' 0
	is "$(share_of wakee.folded ';\[no frame pointers\];')" '>' 0.9
	is "$cut" '>' 0.9
	"$WAKECOST" report r.data | grep -q 'of the user stacks are cut'
}

@test "a program that executes another in its place, at the same addresses" {
	build() {
		gcc -O2 -no-pie -fno-optimize-sibling-calls -pthread "$2" -o "$1" \
			"$ROOT/tests/root/unwind/chain.c"
	}
	build tables -fomit-frame-pointer
	build pointers -fno-omit-frame-pointer
	cat >both <<-'EOF'
		./tables 50021
		exec ./pointers 50021
	EOF
	recorded --stacks all -- setarch -R sh both
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;pthread_cond_wait;')" '>' 0.9
	run ! grep -E ';f;.*;a;' wakee.folded
}

@test "children of fork are learnt each for itself" {
	cat >forks <<-EOF
		for i in 1 2 3; do "$BATS_FILE_TMPDIR/tables" 20011 & done
		wait
	EOF
	recorded --stacks all -- sh forks
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;pthread_cond_wait;')" '>' 0.8
}

@test "other sources of the events walk the same" {
	recorded --disable tp_btf --stacks all -- "$BATS_FILE_TMPDIR/tables" 50021
	is "$(share_of wakee.folded ';play;a;b;c;d;e;f;pthread_cond_wait;')" '>' 0.9
}

@test "java: methods over unpark, between a libc and a libjvm" {
	command -v javac >/dev/null && command -v java >/dev/null || skip "no JDK (java, javac)"
	javac -d . "$ROOT/tests/root/java/Park.java" || skip "javac does not work here"
	recorded -- java -XX:+PreserveFramePointer -XX:+UnlockDiagnosticVMOptions \
		-XX:+DumpPerfMapAtExit -XX:CompileCommand=quiet \
		-XX:CompileCommand=dontinline,Park::ping* -Xss256k -cp . Park 100 5
	# LockSupport's own method may be inlined, and then has no name
	grep -E 'pthread_cond_signal_.w.;Unsafe_Unpark_.w.;[^-]*Park.ping[AB]' \
		chain.folded >unpark.folded
	grep -q 'Park.pingA' unpark.folded
	grep -q 'Park.pingB' unpark.folded
	is "$cut" '<' 0.1
}
