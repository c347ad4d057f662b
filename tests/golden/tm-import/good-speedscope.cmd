# Samples of 1, 2, 3 and 4 ms: main; update below it; draw below that; load below main; and the same of another profile.
$GEN/speedscope --samples 4 time >a.json 2>err
tm-dump a.json
tm-top -q --by function a.json
# As calls, of which the last begins at 6 us; without a unit of time they are samples; bytes.
$GEN/speedscope --samples 4 calls 2>err | tm-dump -q | grep -e ^thread -e ^enter -e ^exit
$GEN/speedscope --samples 4 steps 2>err | tm-dump -q | grep -e ^sample
$GEN/speedscope --samples 4 bytes 2>err | tm-dump -q | grep -e ^alloc
