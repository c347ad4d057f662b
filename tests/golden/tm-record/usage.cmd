# Wrong options, and programs that cannot be recorded.
try() {
	tm-record "$@" >out
	echo "status $?"
}
try
try --pid-children -- true
try --depth 0 -o x.tmt -- true
try --depth 257 -o x.tmt -- true
try --stacks some -- true
try -o x.tmt -- ./none
try -o none/x.tmt -- true
try --library none -o x.tmt -- true
