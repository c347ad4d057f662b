# A child count below 0; a mode that there is not.
"$GEN/elua" --nodes 1 v1 2>/dev/null | head -c -4 >negative.elprof
printf '\377\377\377\377' >>negative.elprof
tm-import negative.elprof
printf '\207\055\072\054\0\0\0\0\7\0\0\0' >mode.elprof
tm-import mode.elprof
