# main and update in it, of two threads: 1 and 2 us in update, and 1 us before and after it.
$GEN/profilers --rows 2 art-trace 2>err >a.trace
tm-dump a.trace
cat err
tm-top -q --by function --sort self-time a.trace
# The same, streamed: the name of the second thread is not there, and the clock comes last.
$GEN/profilers --rows 2 art-streamed 2>err >b.trace
for f in a b; do tm-dump $f.trace | grep -v -e ^attribute -e ^thread | sort >$f; done
diff a b
