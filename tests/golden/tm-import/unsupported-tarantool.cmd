# Versions that were not seen.
printf 'ljs\2\0\0\0\200ljm\3\0\0\0\200' >symtab.bin
tm-import symtab.bin
printf 'ljs\3\0\0\0\200ljm\1\0\0\0\200' >memprof.bin
tm-import memprof.bin
printf 'ljs\3\0\0\0\200ljp\1\0\0\0\200' >sysprof.bin
tm-import sysprof.bin
