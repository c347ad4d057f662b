# A class that is not there, and a texture with two bytes too few; cut in an object; an impossible id; a type of a field.
$GEN/hprof damaged 2>err | tm-dump | grep -e note -e totals
$GEN/hprof java 2>err >a.hprof
head -c 1500 a.hprof | tm-dump | grep -e note -e totals
head -c 1000 a.hprof | tm-import | wc -c
printf 'JAVA PROFILE 1.0.2\0\0\0\0\3\0\0\0\0\0\0\0\0\34\0\0\0\0\0\0\0\1\1' | tm-import
