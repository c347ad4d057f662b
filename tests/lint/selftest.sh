#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The checks of this folder can fail: each is given a small copy of the tree with one fault.
set -u
lint=$SRC/tests/lint
failed=0
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

fresh() { # a sound tree
	rm -rf tree
	mkdir -p tree/tests/lint tree/lib/base tree/lib/trace tree/lib/group tree/lib/report/{top,frames} \
		tree/formats/lua tree/cmd tree/testdata tree/tests/unit
	cp "$lint"/*.txt tree/tests/lint/
	printf 'cmd/tm-x lib/trace lib/base\ncmd/tm-y lib/base\n' >>tree/tests/lint/layers.txt
	printf '#include <stdio.h>\n' >tree/lib/base/a.h
	printf '#include "lib/base/a.h"\n' >tree/lib/trace/t.h
	printf '#include "lib/trace/t.h"\n#include <xxhash.h>\n' >tree/formats/f.c
	printf '#include "lib/trace/t.h"\n' >tree/cmd/tm-x.c
}

expect() { # $1: pass or fail, $2: script, $3: what the fault is, $4: what it must say
	local out status

	out=$(bash "$lint/$2.sh" tree 2>&1)
	status=$?
	if [[ $1 == pass && $status == 0 && $out == *"ok - "* ]] ||
		[[ $1 == fail && $status != 0 && $out == *"not ok - "* && $out == *"$4"* ]]; then
		echo "ok - $2: $1 on $3"
	else
		echo "$out"
		echo "not ok - $2: should $1 on $3"
		failed=1
	fi
}

fresh
expect pass layers 'a sound tree' ''
expect pass headers 'a sound tree' ''
expect pass words 'a sound tree' ''

printf '#include "lib/group/r.h"\n' >>tree/lib/trace/t.h
expect fail layers 'an upward include' 'lib/trace/t.h:2: "lib/group/r.h": lib/trace may not include lib/group'
fresh
printf '#include "lib/group/r.h"\n' >tree/formats/g.c
expect fail layers 'a reader that knows reports' 'formats may not include lib/group'
fresh
printf '#include "cmd/tm-x.h"\n' >tree/lib/group/r.c
expect fail layers 'a library that includes a command' 'lib/group may not include cmd'
fresh
printf '#include "t.h"\n' >tree/lib/trace/u.c
expect fail layers 'an include relative to its folder' 'not written from the root'
fresh
mkdir tree/lib/recorder
echo 'char *strtok(char *s, const char *d); char *f(char *s) { return strtok(s, " "); }' >tree/f.c
${CC:-cc} -shared -fPIC -nostdlib tree/f.c -o tree/library.so
printf 'strtok h no reason\n' >tree/lib/recorder/outside.txt
expect pass outside 'a call with its line' ''
printf 'strtok h\n' >tree/lib/recorder/outside.txt
expect fail outside 'a call without a reason' 'outside.txt:1: a function'
printf 'strtok h no reason\nabort h none\n' >tree/lib/recorder/outside.txt
expect fail outside 'a line without a call' 'nobody calls abort'
printf '# strtok h none\n' >tree/lib/recorder/outside.txt
expect fail outside 'a call without a line' 'the runtime calls strtok'
printf 'strtok h no reason\n' >tree/lib/recorder/outside.txt
mkdir -p tree/objects tree/lib/library
echo 'char *give(void); void free(void *), done(char *); void g(void) { done(give()); free(give()); }' >tree/g.c
${CC:-cc} -c tree/g.c -o tree/objects/g.o
printf 'give done\ndone -\n' >tree/lib/library/outside.txt
expect fail outside 'memory of others that free ends' 'g.o: free gives or takes memory'
echo 'char *give(void); void done(char *); void g(void) { done(give()); }' >tree/g.c
${CC:-cc} -c tree/g.c -o tree/objects/g.o
expect pass outside 'memory of others that they end' ''
printf 'done -\n' >tree/lib/library/outside.txt
expect fail outside 'memory of others that nobody ends' 'the library calls give'
printf 'give free\ndone -\n' >tree/lib/library/outside.txt
expect fail outside 'memory of others to be ended by free' 'outside.txt:1: a function'
fresh
mkdir -p tree/lib/{cli,compat,symbolize} tree/lib/library/tracemill
printf '#include "version.h"\n' >tree/lib/library/tracemill/symbolize.h
printf '#include "lib/library/tracemill/symbolize.h"\n' |
	tee tree/lib/compat/p.h tree/lib/cli/symbolizer.h tree/cmd/tm-addr2line.c >tree/cmd/tm-atos.c
expect pass layers 'drop-ins on the public header' ''
printf '#include "lib/symbolize/l.h"\n' >>tree/cmd/tm-addr2line.c
expect fail layers 'a drop-in that goes below it' 'cmd/tm-addr2line.c:2: "lib/symbolize/l.h"'
printf '#include "lib/cli/search.h"\n' >tree/cmd/tm-addr2line.c
expect fail layers 'a drop-in that goes around it' 'may not include lib/cli/search'
printf '#include "lib/symbolize/l.h"\n' >>tree/lib/compat/p.h
expect fail layers 'what prints for them and goes below it' 'lib/compat may not include lib/symbolize'
mkdir tree/cmd/tm-symbolize
printf '#include "lib/library/tracemill/symbolize.h"\n' | tee tree/cmd/tm-symbolize/c.h tree/lib/compat/p.h >tree/cmd/tm-addr2line.c
printf '#include "cmd/tm-symbolize/c.h"\n' >tree/cmd/tm-symbolize.c
expect pass layers 'tm-symbolize on the public header' ''
printf '#include "lib/symbolize/l.h"\n' >>tree/cmd/tm-symbolize/c.h
expect fail layers 'a part of it that goes below' 'cmd/tm-symbolize/c.h:2: "lib/symbolize/l.h"'
printf '#include "lib/cli/search.h"\n' >tree/cmd/tm-symbolize/c.h
expect fail layers '... and around it' 'may not include lib/cli/search'
fresh
mkdir tree/cmd/tm-y
printf '#include <stdio.h>\n' >tree/cmd/tm-y/y.h
printf '#include "cmd/tm-y/y.h"\n' >tree/cmd/tm-y.c
expect pass layers 'what a program has for itself' ''
printf '#include "cmd/tm-y/y.h"\n' >>tree/cmd/tm-x.c
expect fail layers 'a program that uses what is another one'"'"'s' 'cmd/tm-x may not include cmd/tm-y'
printf '#include "lib/base/a.h"\n' >tree/cmd/tm-z.c
expect fail layers 'a program without a row' 'cmd/tm-z.c:1: "lib/base/a.h": its folder has no row'
fresh
mkdir tree/lib/new
printf '#include "lib/base/a.h"\n' >tree/lib/new/n.c
expect fail layers 'a folder without a row' 'no row'
fresh
: | tee tree/lib/base/a.c >tree/lib/trace/t.c
printf '| `base/` | the base |\n| `trace/` | traces |\n| `../formats/` | readers |\n| `../cmd/` | programs |\n' >tree/lib/README.md
: >tree/formats/lua/l.c
expect pass layers 'rooms that are described, but a family of formats' ''
sed -i '/trace/d' tree/lib/README.md
expect fail layers 'a room that is not' '  lib/trace: lib/README.md does not say what it holds'
printf '| `trace/` | traces |\n| `tally/` | sums |\n' >>tree/lib/README.md
expect fail layers 'a room that is not there' '  lib/README.md: lib/tally is no room'

decide() { # $@: rows of the table of decisions
	sed -i '/tally/d; /^## Where/,$d' tree/lib/README.md
	printf '## Where it is decided\n\n| what is decided | file |\n|---|---|\n' >>tree/lib/README.md
	printf '| %s |\n' "$@" >>tree/lib/README.md
}
decide 'a thing | `base/a.h`' 'what is included | `base/a.h`: `stdio.h`' 'reading | `../formats/f.c`'
expect pass layers 'decisions that are where they are said to be' ''
decide 'a thing | `base/a.h`' 'another | `base/b.h`'
expect fail layers 'a decision in a file that is not there' '  lib/README.md: there is no lib/base/b.h'
decide 'a thing | `base/a.h`: `stdlib.h`'
expect fail layers 'a decision whose word is gone' '  lib/README.md: lib/base/a.h has no stdlib.h'
decide 'a thing | `base/a.h`, `base/b.h`'
expect fail layers 'a decision in two files' '  lib/README.md: no one file: | a thing'

fresh
printf '/* SPDX-License-Identifier: MIT\n *\n * One thing. And more.\n */\n' >tree/lib/base/a.c
printf '/* SPDX-License-Identifier: MIT */\n' >tree/lib/trace/t.c
printf '/* Marks:\n * two lines. */\n' >tree/lib/trace/t.h
printf '/* Folded. */\n' >tree/formats/f.c
printf '# The rooms\n\n| x | `trace/t.c` |\n\n' >tree/lib/README.md
bash "$lint/files.sh" --write tree
expect pass files 'a list that was written' ''
printf '| y | `../formats/f.c` |\n' | cat - tree/lib/README.md >map && mv map tree/lib/README.md
expect fail files 'a file in a table and in the list' '- `f.c`: Folded'
bash "$lint/files.sh" --write tree
sed -i 's/One/Another/' tree/lib/base/a.c
expect fail files 'another first sentence' '- `a.c`: Another thing'
printf 'int x;\n' >tree/lib/base/a.c
rm tree/lib/base/a.h
expect fail files 'a file that says nothing' 'a file has no first sentence'
fresh
sed -i 's|^lib/base$|lib/base lib/trace|' tree/tests/lint/layers.txt
expect fail layers 'a cycle in the table' 'a cycle'

linked() { # objects of three rooms, and their table
	fresh
	rm -r tree/cmd/* tree/formats/*
	mkdir -p tree/build tree/formats/lua
	printf 'lib/base\nlib/trace lib/base\nlib/group lib/trace lib/base\n' >tree/tests/lint/layers.txt
	: >tree/tests/lint/links.txt
	built lib/base/b 'int b; int low(void) { return b; }'
	built lib/trace/t 'extern int b; int low(void); int middle(void) { return low() + b; }'
	built lib/group/g 'int low(void), middle(void); int high(void) { return middle() + low(); }'
}
built() { # $1: file without .c, $2: its text
	mkdir -p "tree/build/obj/${1%/*}" "tree/${1%/*}"
	echo "$2" >"tree/$1.c"
	${CC:-cc} -c "tree/$1.c" -o "tree/build/obj/$1.c.o"
}
linked
expect pass links 'symbols that the table permits' ''
built lib/base/up 'int middle(void); int up(void) { return middle(); }'
expect fail links 'a symbol of a room above, declared by hand' 'lib/base/up.c needs middle of lib/trace/t.c: lib/base may not need lib/trace'
expect fail links 'two rooms that need each other' 'lib/base and lib/trace need each other'
rm tree/lib/base/up.c
expect pass links 'an object whose source was removed' ''
linked
built lib/base/up 'int middle(void); int up(void) { return middle(); }'
printf 'lib/base lib/trace a reason for it\n' >tree/tests/lint/links.txt
expect pass links 'an edge that is still to go' ''
printf 'lib/base lib/trace\n' >tree/tests/lint/links.txt
expect fail links 'one without a reason' 'why the first still needs the second: lib/base lib/trace'
linked
printf 'lib/base lib/trace a reason for it\n' >tree/tests/lint/links.txt
expect fail links 'one that is not needed any more' 'links.txt: is not needed any more: lib/base lib/trace'
linked
built lib/group/g 'int high(void) { return 1; }'
expect fail links 'an item that nothing needs' 'layers.txt: lib/group does not need lib/trace'
printf '#include "lib/trace/t.h"\n#include "lib/base/a.h"\n' >>tree/lib/group/g.c
expect pass links 'an item that an include needs' ''
linked
sed -i 's|^lib/group .*|lib/group lib/*|' tree/tests/lint/layers.txt
expect fail links 'a row for all rooms' 'layers.txt: lib/group may need everything: lib/*'
linked
printf 'lib/base\nlib/trace lib/base\nlib/group lib/trace lib/base\nformats lib/base\nformats/reader.c formats\nformats/* formats\n' >tree/tests/lint/layers.txt
built formats/import 'int low(void); int begin(void) { return low(); }'
built formats/lua/l 'int begin(void); int reader_l(void) { return begin(); } int help(void) { return 1; }'
built formats/reader 'int begin(void), reader_l(void); int choose(void) { return begin() + reader_l(); }'
expect pass links 'the choice of a reader' ''
built formats/lua/l 'int choose(void); int reader_l(void) { return choose(); }'
expect fail links 'a reader that needs that choice' 'formats/lua may not need formats/reader.c'
built formats/lua/l 'int begin(void); int reader_l(void) { return begin(); }'
built formats/import 'int low(void), reader_l(void); int begin(void) { return low() + reader_l(); }'
expect fail links 'another file that names a reader' 'formats/import.c needs reader_l of formats/lua/l.c: formats may not need formats/lua'
linked
printf 'cmd/tm-x cmd/tm-y\ncmd/tm-y\n' >>tree/tests/lint/layers.txt
built cmd/tm-x 'int tm_y(void); int main(void) { return tm_y(); }'
built cmd/tm-y/program 'int tm_y(void) { return 0; }'
expect pass links 'a program that answers with another' ''
sed -i 's|^cmd/tm-x .*|cmd/tm-x|' tree/tests/lint/layers.txt
expect fail links 'one that may not' 'cmd/tm-x.c needs tm_y of cmd/tm-y/program.c: cmd/tm-x may not need cmd/tm-y'
linked
rm -r tree/build
mkdir tree/build
expect fail links 'a tree that is not built' 'no symbol seen at all'

fresh
printf '#include <xxhash.h>\n' >tree/lib/base/b.c
expect fail headers 'a second includer' 'lib/base/b.c:1: <xxhash.h> is included by formats/f.c'
fresh
printf '#  include <libelf.h>\n' >>tree/lib/base/a.h
expect fail headers 'a third-party header in a header' 'lib/base/a.h:2: <libelf.h>'
fresh
printf '#include <libdwarf/dwarf.h>\n' >>tree/lib/base/a.h
expect pass headers 'a header of constants in a header' ''
printf '#include <libdwarf/dwarf.h>\n' >tree/lib/base/b.c
expect fail headers 'a second includer of constants' 'lib/base/b.c:1: <libdwarf/dwarf.h> is included by'
printf '#include <libdwarf/libdwarf.h>\n' >>tree/lib/trace/t.h
expect fail headers 'functions beside the constants' 'lib/trace/t.h:2: <libdwarf/libdwarf.h>'
fresh
printf '#include <elf.h>\n' >tree/lib/base/b.c
expect fail headers 'ELF elsewhere' 'lib/base/b.c:1: <elf.h> is for files about ELF alone'

fresh
printf '/* A table:\n *header u32\n */\n' >tree/cmd/tm-joined.c
expect fail words 'a comment whose lines were joined' 'cmd/tm-joined.c:2'
fresh
printf '#include "lib/group/g.h"\n' >tree/lib/report/top/t.h
printf '#include "lib/report/top/t.h"\n' >tree/lib/report/frames/f.h
expect fail layers 'a family of reports that knows another' 'lib/report/frames may not include lib/report/top'
fresh
printf '#include "formats/lua/l.h"\n' >tree/tests/unit/x.c
expect pass layers 'a row that names all below a folder' ''
fresh
printf '/* TO%s: later */\n' DO >tree/cmd/tm-later.c
expect fail words 'a note to oneself' 'cmd/tm-later.c:1'
fresh
printf 'char p[] = "%swork%s";\n' / /main >tree/cmd/tm-path.c
expect fail words 'a path of one machine' 'cmd/tm-path.c:1'
fresh
printf 'int f(struct err *e)\n{\n\treturn e->code;\n}\n' >tree/lib/base/f.c
expect fail words 'a failure that could be ST_OK' 'lib/base/f.c:3'
fresh
printf 'int f(struct err *e)\n{\n\treturn bad() ? in->cur.e->code : ST_OK;\n}\n' >tree/lib/base/f.c
expect fail words 'the same as one of two' 'lib/base/f.c:3'

fresh
mkdir -p tree/lib/dwarf/{fast,reference} tree/lib/index
touch tree/lib/dwarf/d.h tree/lib/dwarf/{fast,reference}/e.h
for engine in fast reference; do
	printf '#include "lib/dwarf/d.h"\n' >tree/lib/dwarf/$engine/e.c
done
expect pass layers 'engines that share a header' ''
printf '#include "lib/dwarf/fast/e.h"\n' >tree/lib/dwarf/reference/e.c
expect fail layers 'the checking engine on the checked one' 'lib/dwarf/reference may not include lib/dwarf/fast'
printf '#include "lib/dwarf/reference/e.h"\n' >tree/lib/dwarf/fast/e.c
expect fail layers 'the checked engine on the checking one' 'lib/dwarf/fast may not include lib/dwarf/reference'
mkdir tree/lib/find
printf '#include "lib/dwarf/fast/e.h"\n' >tree/lib/find/f.c
expect fail layers 'a room that goes past the seam' 'lib/find may not include lib/dwarf/fast'

fresh
mkdir -p tree/obj/lib/dwarf/{fast,reference} tree/obj/lib/object
object() { ${CC:-cc} -x c -c - -o "tree/obj/lib/$1.c.o" <<<"$2"; } # ROOM/FILE SOURCE
object object/o 'int opened(void) { return 1; }'
object dwarf/fast/split 'int opened(void); int found(void) { return opened(); }'
object dwarf/reference/read 'int opened(void); int read_it(void) { return opened(); }'
expect pass apart 'engines that need one object' ''
object object/o 'int found(void); int opened(void) { return found(); }'
expect fail apart 'the checked engine behind another object' 'opened of lib/object/o.c -> found of lib/dwarf/fast/split.c'
object dwarf/reference/read 'int found(void); int read_it(void) { return found(); }'
expect fail apart 'the checked engine itself' 'lib/dwarf/reference/read.c -> found of lib/dwarf/fast/split.c'

fresh
mkdir -p tree/tests/fuzz/corpus/elf
printf '\177ELF\0\1/usr/lib/libc.so\0\377' >tree/tests/fuzz/corpus/elf/good
expect pass words 'a path that every machine has, in a corpus' ''
printf '\177ELF\0\1/%s/me/a.c\0\377' root >tree/tests/fuzz/corpus/elf/mine
expect fail words 'a path of one machine, in a binary file' 'tests/fuzz/corpus/elf/mine'

optioned() { # a program with options, and their table
	fresh
	mkdir -p tree/lib/cli
	printf '\tROW_CHOICE(0, "sort", "METRIC",\n\t\t   "which"),\n\tROW_FLAG(0, "all", "rows"),\n\tROW_ALIAS("metric", "sort"),\n' >>tree/cmd/tm-x.c
	printf 'sort METRIC x which number ranks\nall - x all rows\nold:metric sort x\n' >tree/lib/cli/options.txt
}
optioned
expect pass options 'a table and its program' ''
printf '\tROW_FLAG(0, "order", "sorted"),\n' >>tree/cmd/tm-x.c
expect fail options 'an option that is not in the table' '--order - of x is not in'
optioned
printf 'order - x sorted\n' >>tree/lib/cli/options.txt
expect fail options 'a row without an option' '--order - is of no table of x'
optioned
printf '\tROW_FLAG(0, "sort", "sorted"),\n' >tree/cmd/tm-y.c
expect fail options 'a name with another argument in another program' '--sort - of y is not in'
printf 'sort - y sorted\n' >>tree/lib/cli/options.txt
expect fail options 'a name with two meanings' '--sort has two rows'
optioned
printf '\tROW_STRING(0, "rank", "METRIC", "which"),\n' >tree/cmd/tm-y.c
printf 'rank METRIC y which number ranks\n' >>tree/lib/cli/options.txt
expect fail options 'a meaning with two names' 'two words mean: which number ranks'
optioned
printf '\tROW_STRING(0, "metric", "METRIC", "which"),\n' >>tree/cmd/tm-x.c
printf 'metric METRIC x another\n' >>tree/lib/cli/options.txt
expect fail options 'an old name that is a new one' '--metric is an old word and a new one'
named() { # two files, each with a callback, and a long function of one name
	local f

	fresh
	for f in a b; do
		{
			printf 'static void %s_end(void)\n{\n}\n\nconst struct sink %s_sink = {.end = %s_end};\n\n' $f $f $f
			printf 'static int walk(int a,\n\t\tint b)\n{\n'
			yes ';' | head -n 40 | sed 's/^/\t/'
			printf '}\n'
		} >tree/lib/group/$f.c
	done
}
named
expect pass names 'functions of one name, and callbacks of two' ''
sed -i 's/b_end/a_end/' tree/lib/group/b.c
expect fail names 'callbacks of one name' 'lib/group/b.c: a_end, as in lib/group/a.c'
named
sed -i 's/b_end/a_end/; s/{.end = a_end}/{NULL, a_end}/' tree/lib/group/[ab].c
expect fail names 'callbacks in a list' 'lib/group/b.c: a_end, as in'
named
printf 'struct line {\n\tint n;\n};\n' >tree/lib/group/l.h
printf '#include "lib/group/l.h"\n' >>tree/lib/group/a.c
expect pass names 'a header of one file' ''
printf '#include "lib/group/l.h"\n' >>tree/lib/group/b.c
expect fail names 'a common word in a header of two' 'lib/group/l.h struct line: a word that any file could have, in a header of 2 files'
table() { # $1: the Chinese of "two rows", $2: a text of the page
	fresh
	mkdir -p tree/lib/render/html
	printf 'const PAGE_TEXTS = {\n\t"{0} row": "{0} 行",\n\t"two rows": "%s",\n};\nconst PROGRAM_TEXTS = {\n};\n' "$1" >tree/lib/render/html/texts.js
	printf 'f(say(n === 1 ? "{0} row" : "%s", n));\n' "$2" >tree/lib/render/html/page.js
}
table '两行' 'two rows'
expect pass texts 'a sound table' ''
table '两行' 'two lines'
expect fail texts 'a text without Chinese' 'page.js: not in the table: "two lines"'
expect fail texts 'one that no page has' 'the table has what no page says: two rows'
table 'two rows' 'two rows'
expect fail texts 'one that is the same in both' 'the same in both languages: two rows'
table '{0} 行' 'two rows'
expect fail texts 'one that has another place' 'the two have not the same put into them: two rows'
table '两行' 'two rows'
printf '.title = "still live"\n' >tree/lib/report/top/t.c
expect fail texts "a title of a program" 'lib/report/top/t.c: a title that is not in the table: still live'
table '两行' 'two rows'
printf 'const ROW = 1, HEAD = 2;\n' >>tree/lib/render/html/page.js
printf 'export const HEAD = 2;\n' >tree/lib/render/html/dom.js
expect fail texts 'two scripts with one name' 'lib/render/html/page.js: the name HEAD is in lib/render/html/dom.js, too'
table '两行' 'two rows'
mkdir -p tree/formats tree/lib/view/page
printf 'learn({\n\t"rows above {0#} were left out": "忽略了超出 {0} 的行",\n});\n' >tree/lib/view/page/notes.js
printf 'trace_note(t, NOTE_LOSS, n, "rows above %%d were "\n "left out", LIMIT);\n' >tree/formats/r.c
expect pass texts 'a note of a reader' ''
sed -i 's/left out/skipped/' tree/formats/r.c
expect fail texts 'a note without Chinese' 'formats/r.c: a note that is not in lib/view/page/notes.js: rows above 1 were skipped'
fresh
expect pass top 'a sound tree' ''
touch tree/loop.c
expect fail top 'a file left at the top' 'loop.c: not listed'
fresh
expect fail names 'a tree without callbacks' 'no callback seen'
fresh
printf 'lib/base/f.c a reason\n' >tree/tests/lint/forks.txt
printf '/* fork() is called */\nint f(void) { return fork (); }\n' >tree/lib/base/f.c
expect pass forks 'a file that may start a process' ''
printf '/* fork() in a\n * popen() comment */\nint g(void) { say("fork()"); return x.system(1); }\n' >tree/lib/trace/g.c
expect pass forks 'words of it in a comment and in a string' ''
printf 'int g(void) { return popen("x", "r") != 0; }\n' >tree/lib/trace/g.c
expect fail forks 'another file that starts one' 'lib/trace/g.c: starts a process'
rm tree/lib/trace/g.c
printf 'int f(void) { return 0; }\n' >tree/lib/base/f.c
expect fail forks 'a line that is not needed any more' 'lib/base/f.c starts none'
exit $failed
