# The array holds all textures, each of which holds its pixels. Textures have 24 bytes, pixels 16 and i % 7, up to 8: 24 + 16,
# 24 + 24, 24 + 24; the array has 16 + 3 * 4, up to 8, and the class 12 and a reference, up to 8.
$GEN/hprof java 2>err >a.hprof
tm-heap -q --table objects --csv a.hprof
tm-heap -q --table types --csv a.hprof
