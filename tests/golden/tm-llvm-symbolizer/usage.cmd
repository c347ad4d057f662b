tm-llvm-symbolizer --output-style=XML 0
tm-llvm-symbolizer --functions=long 0
tm-llvm-symbolizer --inlines=maybe 0
tm-llvm-symbolizer --print-source-context-lines=10001 0
tm-llvm-symbolizer -obj
tm-llvm-symbolizer --engine none 0
# Nothing to read, a request without a file, and files that are no binaries.
tm-llvm-symbolizer </dev/null
tm-llvm-symbolizer 0x10
: >empty
tm-llvm-symbolizer 'empty 0x10' '"not there" 16' 'empty 17'
tm-llvm-symbolizer --output-style=JSON 'empty 0x10' 'zzz'
echo "status: $?"
