# A function without a name, a name without a number, and a time that goes back; a file that ends early; one without samples.
$GEN/profilers --rows 3 cleopatra-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
$GEN/profilers cleopatra 2>err | head -c 400 | tm-import
$GEN/profilers --rows 0 cleopatra 2>err | tm-import
