# A cost centre that is not there, and a total that is another; a file that ends early; one without a tree.
$GEN/profilers --rows 3 ghc-bad 2>err | tm-dump | grep -e note -e ^sample -e totals
$GEN/profilers ghc 2>err | head -c 700 | tm-dump | grep -e note -e ^sample -e totals
printf '{"rts_arguments":[],"tick_interval":1,"cost_centres":[]}' | tm-import
