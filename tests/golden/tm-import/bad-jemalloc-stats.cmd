# A number below 0, in text and JSON; nothing but a head; cut JSON.
$GEN/profilers --rows 3 jemalloc-text-bad 2>err | tm-dump | grep -e note -e ^profile -e totals
$GEN/profilers --rows 3 jemalloc-json-bad 2>err | tm-dump | grep -e note -e ^profile -e totals
printf '___ Begin jemalloc statistics ___\n' | tm-import
printf '{"jemalloc":{"version":"5"}}' | tm-import
$GEN/profilers --rows 3 jemalloc-json 2>err | head -c 300 | tm-import
