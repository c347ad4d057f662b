# Two callstacks: 1000 and 2000 B in 2 and 4 blocks, of which 400 B in one of the first are freed.
$GEN/perfetto --n 2 heap | tm-dump
# Two objects of 24 bytes, one of 64; obfuscated a.b is app.Node, and its field c is next.
$GEN/perfetto --n 2 graph | tm-dump
# Two threads with two frames each; and a call that begins on one and ends on the other.
$GEN/perfetto --n 2 calls | tm-dump -q | grep -e thread -e 'thread=3'
$GEN/perfetto --n 40 calls | tm-top -q --by function --csv | cut -d , -f 2-6
$GEN/perfetto --n 5 samples | tm-dump | tail -n 8
# atrace's marks by two processors: three frames of 14 ms with an update of 4 ms in each, and three loads of 20 ms, which
# overlap: each is on the first of its tracks that is free.
$GEN/perfetto --n 3 atrace | tm-dump -q | grep -e ^thread -e ^enter -e ^exit -e '^counter value'
# The frame timeline: the fifth frame takes 30 ms, since the app misses its deadline; the sixth begins in it.
$GEN/perfetto --n 6 timeline | tm-dump -q | grep -e ^frame -e ^marker -e note -e 'counter value=30'
$GEN/perfetto --n 20 timeline | tm-frames -q --table pacing --csv | cut -d , -f 3-9
# Three samples that stand for 5 ms each are samples, and no calls.
$GEN/perfetto --n 3 sampler | tm-dump --no-tables -q | grep ^sample
$GEN/perfetto --n 3 sampler | tm-top -q --by function --csv | cut -d , -f 9-11 | head -n 2
# The scheduler: in "Frame" (12 ms) and "Wait" (7 ms of it) the thread is off the processor for 5 ms; it runs 1 ms after both.
$GEN/perfetto --n 1 sched | tm-dump -q | grep -e ^thread -e ^enter -e ^exit -e ^sample -e ^counter
# Memory, clocks, battery, a counter of the GPU, and lines of the log.
$GEN/perfetto --n 2 system | tm-dump
