# main and update in it, of two stacks: 1 + 1 ms and 1 + 2 ms within 1 ms each at begin and end.
$GEN/profilers --rows 2 papyrus 2>err | tm-dump
cat err
$GEN/profilers --rows 2 papyrus 2>err | tm-top -q --by function --sort self-time
