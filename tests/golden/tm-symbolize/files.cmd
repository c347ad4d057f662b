# Files and folders that are not there, or that no module is: said, and by the status where it is an error.
echo '{"f":1,"d":[{"t":"A","s":5,"r":8,"st":["0x1020;0x1010;"],"sz":[8]}]}' >run.mem
echo '{"slide":"0x10"}' | cat - run.mem >slid.mem
echo '1000-2000 r-xp 00000000 08:01 12 /x/libgone.so' >maps
printf '1000-2000 rw-p 00000000 08:01 12\n%70000s\n' x >bad-maps
cp "$BIN/tm-top" one
cp "$BIN/tm-dump" two
run() {
	tm-symbolize -o out.tmt --no-local "$@"
	echo "status $?"
}
run --maps maps -e one -e other=two run.mem
run -e one -e two slid.mem
run -q --maps maps --debug-dir none --sysroot none run.mem
run -q --maps none run.mem
run -q --config none run.mem
run -q --maps bad-maps run.mem
run -q maps
