# A size that is none: the list has fewer leaks than are stated. A size that no block has. No list at all; no leaks.
$GEN/profilers --rows 2 leaks-bad 2>err | tm-dump | grep -e note -e ^profile -e totals
printf 'leaks Report Version: 3.0\nLeak: 0x1  size=99999999999999999999  zone: x\n\tCall stack: [thread 0x1]: | main\nLeak: 0x2  size=1\n' | tm-dump | grep -e note -e ^profile -e totals
printf 'leaks Report Version: 4.0\n' | tm-import
printf 'Process 7: 9 nodes malloced for 1 KB\nProcess 7: 0 leaks for 0 total leaked bytes.\n' | tm-dump
