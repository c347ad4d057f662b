# A function that is not there, and a stack that is cut; a file that is; one without stacks.
$GEN/stackprof damaged 2>err | tm-dump | grep -e note -e totals
$GEN/stackprof wall 2>err | head -c 300 | tm-import
$GEN/stackprof noraw 2>err | tm-import
