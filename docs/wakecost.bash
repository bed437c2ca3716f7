# shellcheck shell=bash
# SPDX-License-Identifier: BSD-2-Clause
# bash completion for wakecost: the words come from the program itself.

_wakecost() {
	local program=${COMP_WORDS[0]} words

	words=$("$program" --complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return 0
	mapfile -t COMPREPLY <<<"$words"
	# No words: bash offers files.
	[ -n "$words" ] || COMPREPLY=()
}

complete -o default -F _wakecost wakecost
