#!/bin/bash
# SPDX-License-Identifier: MIT
#
# --completion=SHELL of every program: bash's function is called as bash would, fish is asked what
# it offers, zsh's specification is read by zsh; each offers the options of --help and no others.
# shellcheck disable=SC2016,SC2086,SC2317 # check evaluates; the text is other shells'
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
programs=$(cd "$SRC/cmd" && printf '%s\n' tm-*.c | sed 's/\.c$//')

# "--word" and "-x" of the help text, sorted.
wanted() {
	"$1" --help all | sed -nE -e 's/^ {2,6}(-[^-])?,? *(--[a-zA-Z-]+).*/\1\n\2/p' \
		-e '/^of the report/,/^$/{s/^of the report.*tm-top://;s/ -/\n-/g;p}' | grep . | LC_ALL=C sort -u
}
same() {
	equal() { [ -s "$2" ] && diff "$1" "$2" >err; }
	check "$1 ($(wc -l <"$3") options)" equal "$2" "$3"
}

# offer WORD...: what bash offers for the last word, the others before it.
offer() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	"_${1//-/_}" "$1" "${!#}" "${@: -2:1}"
	printf '%s\n' "${COMPREPLY[@]}"
}
mkdir -p files/folder
touch files/a.mem 'files/with space.mem'

for p in $programs; do
	wanted "$p" >want
	"$p" --completion=bash >$p.bash
	check "$p: bash takes the script" bash -n $p.bash
	# shellcheck disable=SC1090
	. ./$p.bash
	check "$p: complete knows the function" eval 'complete -p $p | grep -q "_${p//-/_} $p\$"'
	offer "$p" - | LC_ALL=C sort >got
	same "$p: bash offers the options of --help" got want

	"$p" --completion=zsh >$p.zsh
	if command -v zsh >/dev/null; then
		check "$p: zsh takes the script" zsh -n $p.zsh
		# What _arguments would be given, after zsh's quotes and braces.
		zsh -f -c '_arguments() { print -rl -- "$@" }; . ./'$p.zsh |
			sed -nE 's/^(\*|\([^)]*\))?(--?[a-zA-Z-]+)[=+-]*\[.*/\2/p' | sed -E 's/^(-[a-zA-Z])-$/\1/' |
			LC_ALL=C sort -u >got
		same "$p: zsh offers the options of --help" got want
	fi

	"$p" --completion=fish >$p.fish
	if command -v fish >/dev/null; then
		HOME=$PWD fish --no-config -c "source $p.fish; complete -C '$p -'; complete -C '$p --'" 2>err |
			cut -f 1 | sed 's/=$//' | LC_ALL=C sort -u >all
		# Bundled letters and values of -x=VALUE are fish's own additions.
		grep -xE -- '--.+|-[a-zA-Z]' all >got
		same "$p: fish offers the options of --help" got want
	fi
done
command -v zsh >/dev/null || echo "skip - zsh's scripts are only looked at (no zsh)"
command -v fish >/dev/null || echo "skip - fish's scripts are only looked at (no fish)"

# --- values and files, in bash ---

is() { # WHAT WANT WORD...
	local what=$1 want=$2

	shift 2
	got=$(cd files && offer "$@" | LC_ALL=C sort | tr '\n' ',')
	check "bash: $what" [ "$got" = "$want" ]
	[ "$got" = "$want" ] || echo "    $got"
}
is "values of a choice" 'function,' tm-top --by fu
is "values behind =" 'function,' tm-top --by = fu
is "= alone" 'auto,entry,exact,return,sample,' tm-top --locations = ''
is "= inside of the word" 'function,' tm-top --by=fu
is "files where files are wanted" 'a.mem,' tm-top --maps a
is "a folder where a folder is" 'folder,' tm-symbolize --debug-dir ''
is "operands are files" 'a.mem,folder,with space.mem,' tm-top ''
is "a beginning" '--cumulative,' tm-top --cu
is "behind -- there are no options" ',' tm-top -- -
is "nothing where a number is wanted" ',' tm-top -n ''
is "formats of tm-export" 'speedscope,sqlite,' tm-export --as s
if command -v fish >/dev/null; then
	HOME=$PWD fish --no-config -c "source tm-top.fish; complete -C 'tm-top --by fu'" >got 2>err
	check "fish: values of a choice" eval '[ "$(cut -f 1 got)" = function ]'
fi

tm-top --completion=tcsh >out 2>err
status=$?
check "a shell that is not known" eval '[ $status = 2 ] && grep -q "is not one of bash, zsh, fish" err && [ ! -s out ]'
[ ! -w /dev/full ] || {
	tm-top --completion=bash >/dev/full 2>err
	status=$?
	check "a full disk" [ $status = 3 ]
}

exit $failed
