# A profile of joules alone; groups, which protocol buffers no longer have.
$GEN/pprof --rows 3 --functions 2 unknown | tm-import
printf '\013\014' | tm-import -f pprof
