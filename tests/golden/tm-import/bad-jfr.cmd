# Names that lead to themselves are empty; classes without fields, 12^11 of them, take no time.
$GEN/jfr circle 2>err | tm-dump | grep -e '^location' -e '^thread' -e '^type' -e note -e totals
$GEN/jfr empty 2>err | tm-dump | grep -e note -e totals
# The second chunk lacks its metadata; a stack of 2^60 frames; an event that is longer than its chunk.
for variant in cut array size; do $GEN/jfr $variant 2>err | tm-dump | grep -e note -e totals; done
$GEN/jfr old 2>err | tm-import
$GEN/jfr uncompressed 2>err | tm-import
# Cut within its only chunk, and within the head.
$GEN/jfr plain 2>err >a.jfr
head -c 1000 a.jfr | tm-import
head -c 40 a.jfr | tm-import
# Behind a chunk there is something else.
{
	cat a.jfr
	printf 'FLX\0\0\2\0\1%0100d' 0
} | tm-dump | grep -e note -e totals
