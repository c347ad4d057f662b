# draw is the function that was sampled: 6 samples, of which 3 came from main, and of the rest the caller of update is not listed.
$GEN/profilers --rows 6 pmcstat 2>err | tm-dump
cat err
