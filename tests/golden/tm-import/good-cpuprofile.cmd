# Samples of 1, 2, 3 and 4 us: main, update below it, draw below that, and the collector, below what it interrupted.
$GEN/cpuprofile --samples 4 nodes 2>err >a.cpuprofile
tm-dump a.cpuprofile
tm-top -q --by function a.cpuprofile
$GEN/cpuprofile --samples 4 head 2>err | tm-dump -q | grep ^sample
$GEN/cpuprofile heap 2>err | tm-dump -q | grep -e ^capture -e ^alloc
# In trace events the thread is that of the profile, not of its chunks.
$GEN/cpuprofile --samples 11 chunks 2>err | tm-dump | grep -e ^thread -e note -e totals
