# What others write and no reader takes is named, with the way there or the reason why there is no
# way.
printf '2CRT\0\0\0\0\0\0' >a.utrace
printf 'tr\375P\2\1' >a.tracy
printf 'bplist00\0\0' >a.memgraph
printf 'MZ\220\0' >a.exe
printf 'Microsoft C/C++ MSF 7.00\r\n\032DS\0\0\0' >a.pdb
printf '\0asm\1\0\0\0' >a.wasm
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:1\n' >a.loli
printf '\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0' >core
printf '\1\2\3' >a.etl
for f in a.utrace a.tracy a.memgraph a.exe a.pdb a.wasm a.loli core a.etl; do tm-import $f; done
# Of what `uftrace record` (0.13) wrote into its directory, each file alone: the first records of a thread, enter and
# exit of a function, and with the bit that says that an argument follows; task.txt; symbols. And a directory without
# info.
printf '\371\220\236\105\262\1\0\0\50\0\100\340\313\273\54\126\333\223\236\105\262\1\0\0\51\4\100\340\313\273\54\126' >9.dat
printf '\371\220\236\105\262\1\0\0\54\0\100\340\313\273\54\126\7\0\0\0\0\0\0\0\333\223\236\105\262\1\0\0\51\4\100\340\313\273\54\126' >10.dat
printf 'SESS timestamp=1865.183770678 pid=9 sid=3dd430273e756624 exename="/a"\nTASK timestamp=1865.183825549 tid=9 pid=9\n' >task.txt
printf '# symbols: 1\n# path name: /a\n000000000000037c t leaf\n' >a.sym
mkdir folder
for f in 9.dat 10.dat task.txt a.sym folder; do tm-import $f; done
# Of the scheduler's records: a name, two switches.
{
	printf '\3\0\0\0\0\40\50\0\370]\0\0\370]\0\0a\0\0\0\0\0\0\0\370]\0\0\370]\0\0\1\244\253\343\214\16\0\0'
	printf '\16\0\0\0\0\140\30\0\370]\0\0\370]\0\0\171\34\332\343\214\16\0\0'
	printf '\16\0\0\0\0\0\30\0\370]\0\0\370]\0\0\154\105\332\343\214\16\0\0'
} >perf-cpu0.dat
tm-import perf-cpu0.dat
# What gperftools wrote before pprof's protobuf, and Go as text: words of 64 and 32 bits (0, 3, 0, period), and words.
printf '\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\20\47\0\0\0\0\0\0' >a.cpu
printf '\0\0\0\0\3\0\0\0\1\0\0\0\20\47\0\0' >b.cpu
printf -- '--- contentionz 1 ---\ncycles/second = 3201000000\n' >a.contention
printf -- '--- threadz 1 ---\n' >a.thread
printf -- '--- heapz 1 ---\nformat = java\n' >java.heap
printf 'goroutine profile: total 1\n1 @ 0x44cb3\n' >go.text
printf 'threadcreate profile: total 1\n1 @ 0x44cb3\n' >go.threads
for f in a.cpu b.cpu a.contention a.thread java.heap go.text go.threads; do tm-import $f; done
# Zeros between numbers are no cache of LoliProfiler: the table of a .trace of Instruments 8, and a .DS_Store.
printf '\147\105\43\1\176\63\12\0\1\0\0\0\0\0\0\1\0\0\0\0\0\0\0\0\0\20\0\0\0\20\0\0\0\0\0\0\0\0\0\0' >index
printf '\0\0\0\1Bud1\0\0\20\0\0\0\10\0\0\0\20\0\0\0\0\207\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\10\0' >store
for f in index store; do tm-import $f; done
# Documents that show a crash: a page of the manual, and a changelog.
printf '.\\" a page\n.TH mallopt 3\n.SH EXAMPLES\n======= Backtrace: =========\n/lib/libc.so.6(+0x6c501)[0x523501]\n/lib/libc.so.6(cfree+0x6d)[0x527e5d]\n' >mallopt.3
printf '2021-01-01  A. Author\n\n\tstripped suffix did not match.\n\n\t==30815==ERROR: AddressSanitizer: heap-buffer-overflow on\n\tREAD of size 1\n\t    #0 0x49d1f3 in strncmp\n\t    #1 0x4f5a7c in f /a.c:8\n' >changelog
for f in mallopt.3 changelog; do tm-import $f; done
# Of a recording of Instruments: a file, and one in an archive.
mkdir -p game.trace/corespace
printf '\001\002\003\004' >game.trace/corespace/data
tm-import game.trace/corespace/data
tar cf game.tar game.trace
tm-import game.tar
