# Two of 12 samples have no stack in the file; update is its own caller; cut in a thread; no threads.
$GEN/firefox damaged 2>err | tm-dump | grep -e note -e totals
$GEN/firefox gecko 2>err | head -c 700 | tm-dump | grep -e note -e totals
printf '{"meta":{"preprocessedProfileVersion":3},"threads":[]}' | tm-import
printf '{"meta":{"interval":1,"startTime":0,"processType":0},"threads":["{}",{"samples":{"stack":[9e99,-1,null,0],"time":[1e300]}}]}' | tm-dump | grep -e note -e totals
