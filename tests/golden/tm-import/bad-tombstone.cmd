# A damaged call in each thread, a call in no file, a thread of an emulated processor, a line of a log; a file that is cut in
# its second thread, or in the first; zeros; no threads.
$GEN/tombstone bad 2>err >b.pb
tm-dump b.pb | grep -e ^note -e ^totals -e ^sample -e runtime
$GEN/tombstone plain 2>err >p.pb
head -c 800 p.pb | tm-dump -f tombstone | grep -e ^note -e ^totals -e ^sample
head -c 300 p.pb | tm-dump -f tombstone | grep -e ^totals
head -c 90000 /dev/zero | tm-import -f tombstone -o x.tmt
head -c 100 p.pb | tm-import -f tombstone -o x.tmt
printf '\020\001' | tm-import -f tombstone -o x.tmt
