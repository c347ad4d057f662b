# Without records, with a record that has no end, and nothing but a head.
$GEN/memcheck none 2>err | tm-import -o x.tmt
$GEN/memcheck cut 2>err | tm-dump --no-tables
printf '==7== Memcheck, a memory error detector\n' | tm-import -o x.tmt
# Numbers that are none, and a stack without a record.
printf '==7== Memcheck, a memory error detector\n==7== 99,999,999,999,999,999,999 bytes in 1 blocks are definitely lost in loss record 1 of 1\n==7==    at 0x1: f (a.c:1)\n==7== 1 bytes in 1 blocks are x in loss record 1 of 1\n' | tm-dump --no-tables
# Nothing was lost; and a log of sums alone, which valgrind writes without --leak-check=full.
printf '==7== Memcheck, a memory error detector\n==7== All heap blocks were freed -- no leaks are possible\n' | tm-dump --no-tables
printf '==7== Memcheck, a memory error detector\n==7== LEAK SUMMARY:\n==7==    definitely lost: 8 bytes in 1 blocks\n==7== Rerun with --leak-check=full to see details of leaked memory\n' | tm-import -o x.tmt
# The first record is of a search that lists changes alone: it is left out.
printf '==7== Memcheck, a memory error detector\n==7== 16 (-8) bytes in 1 (+0) blocks are definitely lost in loss record 1 of 2\n==7== 24 bytes in 1 blocks are definitely lost in loss record 2 of 2\n' | tm-dump --no-tables
