# A version that does not exist yet.
$GEN/heaptrack_log --variant later 3 | tm-import
