# A frame that is not there, fewer bytes than none; cut; no places; a mode without allocations; another version.
$GEN/dhat damaged 2>err | tm-dump | grep -e note -e totals -e ^profile
$GEN/dhat heap 2>err | head -c 500 | tm-import
printf '{"dhatFileVersion":2,"mode":"heap","pps":[],"ftbl":[]}' | tm-import
$GEN/dhat adhoc 2>err | tm-import
printf '{"dhatFileVersion":3,"mode":"heap","pps":[{}],"ftbl":[]}' | tm-import
