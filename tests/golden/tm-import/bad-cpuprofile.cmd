# Of 20 samples two are of a node that is not there; draw is its own caller; a file without times.
$GEN/cpuprofile --samples 20 damaged 2>err | tm-dump | grep -e note -e totals
$GEN/cpuprofile nodes 2>err | sed 's/,"timeDeltas.*/}/' | tm-dump | grep -e note -e totals
$GEN/cpuprofile nodes 2>err | head -c 400 | tm-dump
printf '{"nodes":[],"functionName":1}' | tm-import -f cpuprofile
