# Bins that are wide, a range that goes backward, a file that is cut, one of another version, one without a histogram.
$GEN/gmon wide 2>err | tm-dump --no-tables | tail -n 2
$GEN/gmon backward 2>err | tm-import -o x.tmt
$GEN/gmon cut 2>err | tm-dump --no-tables | tail -n 3
$GEN/gmon watts 2>err | tm-import -o x.tmt
printf 'gmon\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1' | tm-import -o x.tmt
printf 'gmon\1\0\0\0\0\0' | tm-import -f gmon -o x.tmt
