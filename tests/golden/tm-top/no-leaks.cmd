# f's block of 100 bytes is freed: no leak, of data that is there. The block of 50 bytes that the dynamic linker keeps is no
# leak either, and the first screen says so, though nothing else is live.
start='metric count exact\nmetric requested exact\nmetric live exact\nalloc malloc main;f 100 1 - 4096\nfree 4096 2\n'
printf "$start" | "$GEN/script" >none.tmt
tm-top -q --leaks none.tmt
printf "${start}alloc malloc main;_dl_new_object 50 3 - 8192\n" | "$GEN/script" >cached.tmt
tm-top -q --leaks cached.tmt
tm-top -q cached.tmt
tm-top -q --as json cached.tmt | jq -c '.sections[] | select(.name == "live") | [.rows, .notes]'
tm-top -q --as markdown cached.tmt | grep -A4 'still live'
