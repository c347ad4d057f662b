# LoliProfiler's reports, written by its source and documentation: rows are with all below, so what a function
# has itself is the difference, where its count has one. Of 15 blocks of main 3, 10 and 1 are below it: one is
# its own, with 2048 - 1536 - 508 - 1 = 3 KiB. The heading's 17th block has no stack: 2.01 MiB, 2107638 bytes,
# less 2097664 in the rows.
tm-dump $SRC/tests/fuzz/corpus/loli_report/dump
tm-top -q $SRC/tests/fuzz/corpus/loli_report/dump
# 84836 + 57034 = 141870: texts() has nothing itself. 2.85 MiB are 2988442 bytes, 2.35 are 2464154.
tm-dump $SRC/tests/fuzz/corpus/loli_report/growth
# Every number is there: 100 + 25 + 0 - 10 = 115 and 115 + 40 + 10 = 165 bytes, 2 + 1 + 1 - 1 = 3 blocks. What
# shrank cannot be allocated.
tm-dump $SRC/tests/fuzz/corpus/loli_report/diff
# Of ten rows eight make no sense, and main has what is not below a.
tm-dump $SRC/tests/fuzz/corpus/loli_report/odd
# A diff without its last two rows: 50 bytes are missing.
sed '/^0x7f/,$d' $SRC/tests/fuzz/corpus/loli_report/diff | tm-import | tm-dump -q - | grep note
# A comparison of equal captures has no rows; another layout is refused, and a report without its rows.
sed '/^operator/,$d; s/: 165$/: 0/; s/: 3$/: 0/' $SRC/tests/fuzz/corpus/loli_report/diff | tm-import | tm-dump - | tail -n 2
sed 's/^=== Memory.*/=== Memory by page ===/' $SRC/tests/fuzz/corpus/loli_report/dump | tm-import
head -n 4 $SRC/tests/fuzz/corpus/loli_report/dump | tm-import
printf 'main, 1 Bytes, 1\n' | tm-import -f loli-report
