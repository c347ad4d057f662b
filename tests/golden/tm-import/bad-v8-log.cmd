# Code that is not there, and a tick before the start; a file that ends early; one without ticks.
$GEN/profilers --rows 3 v8-log-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
$GEN/profilers v8-log 2>err | head -c 400 | tm-import
$GEN/profilers --rows 0 v8-log 2>err | tm-import
