# A method without a name, a line that is none, and an action that is none; another number of calls.
$GEN/profilers --rows 2 art-trace-bad 2>err | tm-dump | grep -e note -e totals
$GEN/profilers --rows 2 art-streamed-bad 2>err | tm-dump | grep -e note -e totals
# Cut in a record, in the head, and before it; of another version.
$GEN/profilers --rows 2 art-trace 2>err >a.trace
head -c -5 a.trace | tm-dump | grep -e note -e totals
head -c 230 a.trace | tm-import
head -c 60 a.trace | tm-import
sed 's/SLOW../SLOW\x04\x00/' a.trace | tm-import
