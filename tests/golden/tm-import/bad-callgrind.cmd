# A cost before any function, a line of something else; totals that are not the sum; a file that ends in a number.
$GEN/callgrind damaged 2>err | tm-dump -f callgrind | grep -e note -e totals
$GEN/callgrind totals 2>err | tm-dump | grep -e note -e totals
$GEN/callgrind plain 2>err | head -c -10 | tm-dump | grep -e note -e totals
printf '# callgrind format\nevents: Ir\nfn=main\n' | tm-import
