# A reference to nothing, a row without weight, one without a stack; categories and sizes that are none.
$GEN/profilers --rows 6 xctrace-bad 2>err | tm-dump | grep -e note -e totals
cat err
$GEN/profilers --rows 6 xctrace-heap-bad 2>err | tm-dump | grep -e note -e totals
# Another table; a list of tables; cut short.
printf '<?xml version="1.0"?>\n<trace-query-result><node><row><size-in-bytes>7</size-in-bytes></row></node></trace-query-result>' | tm-import
$GEN/profilers --rows 6 xctrace 2>err | head -c 1500 | tm-dump | grep -e note -e totals
