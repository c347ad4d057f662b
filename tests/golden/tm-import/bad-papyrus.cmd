# Lines without a time, without a function, and no line of the log at all; nothing but the head.
$GEN/profilers --rows 2 papyrus-bad 2>err | tm-dump | grep -e note -e totals
printf 'Stack_1 log opened (PC)\n' | tm-import
