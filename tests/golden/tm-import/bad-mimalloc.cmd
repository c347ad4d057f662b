# A line that is none; a class without its numbers; the third printout is of another process, which has 7 KiB of each class.
$GEN/profilers --rows 3 mimalloc-bad 2>err | tm-dump | grep -e note -e totals -e ^profile
printf 'heap stats:    peak      total      freed    current       unit      count\n' | tm-import
