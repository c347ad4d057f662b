# A duration that is no number, and one that is not there; a file that ends early; one without stacks.
$GEN/profilers --rows 3 safari-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
$GEN/profilers safari 2>err | head -c 400 | tm-import
$GEN/profilers --rows 0 safari 2>err | tm-import
