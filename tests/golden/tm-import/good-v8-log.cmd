# Stacks of main, of update (C++, with an address of no code) and of a builtin below it, 1, 2 and 3 us after each other.
$GEN/profilers --rows 3 v8-log 2>err | tm-dump
cat err
