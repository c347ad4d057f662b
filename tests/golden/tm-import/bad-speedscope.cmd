# Of 10 samples of each profile one has a frame that is not there, and one no weight; of 10 calls one end has no begin, and one begin no end.
$GEN/speedscope damaged 2>err | tm-dump | grep -e note -e totals
$GEN/speedscope lost 2>err | tm-dump | grep -e note -e totals
$GEN/speedscope --samples 100 time 2>err | head -c 1000 | tm-dump | grep -e note -e totals
printf '{"shared":{"frames":[]}}' | tm-import -f speedscope
