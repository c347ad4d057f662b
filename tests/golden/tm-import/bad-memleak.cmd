# A line that is none, a row without a number, and one with too many blocks; a title without rows; a cut line.
$GEN/profilers --rows 2 memleak-bad 2>err | tm-dump | grep -e note -e ^profile -e totals
printf '[11:16:33] Top 2 stacks with outstanding allocations:\n' | tm-import -f memleak -o x.tmt
printf 'hello\n' | tm-import -f memleak -o x.tmt
