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
try --port 65536 --serve -- true
try --serve --as memtracer -- true
try --as loli --pid-children -o x.tmt -- true
try --as json -- true
try --unity 127.0.0.1:1 -- true
try --unity 127.0.0.1:0 -o x.raw
try --unity 127.0.0.1:1 -o x.raw
try --unity [::1 -o x.raw
try --follow -- true
try --duration soon -- true
try --duration 0.0001 -- true
try --unity nowhere.invalid:1 -o x.raw 2>/dev/null
