# Three samples of functions 0 to 2, each called by those before it. The program is mapped at
# 0x55d000001000 from offset 0x1000 on, so function f has the offset 0x1000 + f * 0x100; the innermost address
# is 0x10 behind its beginning, a return address 0x20. Periods are 1000000 + i ns: 3000003.
$GEN/perf_data --samples 3 plain >game.data
tm-dump game.data
# Two kinds of events, distinguished by ids; a kernel that lies 0x19000000 above where it was
# linked; names of simpleperf's, of functions that lie 0x400000 above their offset.
$GEN/perf_data --samples 4 two | tm-dump | grep -e ^marker -e ^sample -e ^counter -e note
$GEN/perf_data --samples 2 kernel | tm-dump -q | grep -e ^module -e ^location -e note
$GEN/perf_data --samples 2 simple | tm-dump -q | grep -e ^attribute -e ^location -e note
$GEN/perf_data --samples 2 big | tm-dump -q | grep -e ^attribute -e note
