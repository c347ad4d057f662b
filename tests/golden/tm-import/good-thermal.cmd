# Two dumps of each: sensors of 30 to 33 degrees, then a tenth more; what is cached does not count.
$GEN/table -n 2 thermal 2>err | tm-dump
cat err
