# The weak reference to texture 0 is left out. Sizes are those of the generator: textures have 24, 32 and 24 bytes.
$GEN/hprof --objects 2 sites 2>err >a.hprof
tm-dump a.hprof
cat err
for variant in wide android; do
	$GEN/hprof --objects 2 $variant 2>err | tm-dump | grep -e ^attribute -e note -e totals -e "^object.*type=3$"
	cat err
done
