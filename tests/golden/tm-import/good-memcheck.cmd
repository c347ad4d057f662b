# Record i of 4 is i + 1 blocks of 10 bytes each: 10 blocks of 100 bytes; the log says that 500 bytes more were in use.
$GEN/memcheck log 2>err >a.log
tm-dump a.log
cat err
$GEN/memcheck xml 2>err | tm-top -q --by type --csv | cut -d, -f1-7,9-
$GEN/memcheck xml 2>err | tm-top -q --by stack -n 1 --csv | cut -d, -f2-7,10-
# What valgrind 3.19 wrote for a program that lost 24 bytes, and 144 in 3 blocks that held 300 more.
cat >vg.log <<'END'
==28532== Memcheck, a memory error detector
==28532== Command: ./lk
==28532== 
==28532== HEAP SUMMARY:
==28532==     in use at exit: 468 bytes in 7 blocks
==28532==   total heap usage: 8 allocs, 1 frees, 472 bytes allocated
==28532== 
==28532== 24 bytes in 1 blocks are definitely lost in loss record 1 of 3
==28532==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==28532==    by 0x109156: f (lk.c:2)
==28532==    by 0x109165: main (lk.c:3)
==28532== 
==28532== 300 bytes in 3 blocks are indirectly lost in loss record 2 of 3
==28532==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==28532==    by 0x10918A: main (lk.c:3)
==28532== 
==28532== 444 (144 direct, 300 indirect) bytes in 3 blocks are definitely lost in loss record 3 of 3
==28532==    at 0x48417B4: malloc (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==28532==    by 0x10917C: main (lk.c:3)
==28532== 
==28532== LEAK SUMMARY:
==28532==    definitely lost: 168 bytes in 4 blocks
==28532==    indirectly lost: 300 bytes in 3 blocks
END
tm-top -q --by type --csv vg.log | cut -d, -f2-4,10
# Two searches in one run: the last one counts. Two processes, whose lines are mixed. Times in front.
cat >two.log <<'END'
==7== Memcheck, a memory error detector
==7== 10 bytes in 1 blocks are definitely lost in loss record 1 of 2
==7==    at 0x1: f (a.c:1)
==7== 
==7== 20 bytes in 2 blocks are possibly lost in loss record 2 of 2
==7==    at 0x2: g (a.c:2)
==7== 
==7== 30 bytes in 3 blocks are definitely lost in loss record 1 of 1
==8== 400 bytes in 4 blocks are definitely lost in loss record 1 of 1
==7==    at 0x1: f (a.c:1)
==8==    at 0x2: g (a.c:2)
==7==    by 0x3: main (a.c:3)
==8== 
==7== 
END
tm-top -q --by stack --csv two.log | cut -d, -f2-4,10-
sed 's/^==/==00:00:00:01.234 /' two.log | tm-top -q --by stack --csv | cut -d, -f2-4,10-
