# 1 % is 400 ns. Of draw0's 1 %, 0.5 % came from update, which main called, 0.25 % from start, and of the rest the caller is
# not listed. An address of a file is an offset there. What main has itself of page-faults is nothing.
$GEN/profilers --rows 6 perf-report 2>err | tm-dump
cat err
