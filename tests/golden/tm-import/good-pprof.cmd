# Row r of 4 has r % 7 + 2 objects of 48 bytes, of which odd rows keep one less; function r calls
# nothing, its callers are the next ones. 2 + 3 + 4 + 5 = 14 objects, 672 B; live 2 + 4 = 6, 288 B.
$GEN/pprof --rows 4 --functions 3 heap >heap.pb
gzip heap.pb
tm-dump heap.pb.gz
tm-top -q --csv --by type heap.pb.gz | cut -d , -f 2-8
# Several locations to an address, callees first; the threads of contentions, which names
# alone tell apart (2^32 and the number of the name); one of two times.
$GEN/pprof --rows 2 --functions 3 inline | tm-dump -q --no-events
$GEN/pprof --rows 2 --functions 2 delay | tm-dump -q | grep -e thread -e sample
$GEN/pprof --rows 2 --functions 2 two | tm-dump | grep -e note -e sample -e attribute
