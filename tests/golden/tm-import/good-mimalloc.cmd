# Two printouts, at 0.25 s and 6.178 s: the first one has 64 MiB reserved (67108864 B), the second one 128. Classes are those of
# the second: 1 KiB of each is there. Of versions without "current", what is there is the rest of what was freed.
$GEN/profilers --rows 3 mimalloc 2>err | tm-dump
cat err
$GEN/profilers --rows 3 mimalloc-old 2>err | tm-dump | grep -e ^type -e ^profile -e note
