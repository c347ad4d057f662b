# Another version.
$GEN/hprof java 2>err | sed '1s/1\.0\.2/2.0.0/' | tm-import -f hprof
