# main, update in main and draw in update; 1 and 2 ms to the next sample, and no time is known of the last.
$GEN/profilers --rows 3 cleopatra 2>err | tm-dump
