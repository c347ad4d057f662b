# The second line ends inside its first record: the frame before it is kept, and the status is 0.
printf '%s\n%s' '{"f":5,"d":[{"t":"A","s":11,"r":16,"st":["0x30;"],"sz":[16]}]}' '{"f":6,"d":[{"t":"B",' >run.mem
tm-import run.mem | tm-dump --no-tables
echo "status: ${PIPESTATUS[*]}"
# Nothing before it: there is nothing to keep.
printf '%s' '{"f":' >nothing.mem
tm-import nothing.mem
