# The file of all requests is not there: as llvm-symbolizer 19, which opens it first, none is answered, and the status is 1.
# The file of one request is not: it has no answer, and the others have.
ln -s "$BIN/tm-llvm-symbolizer" llvm-symbolizer
echo 0x1183 | ./llvm-symbolizer -e gone.exe
echo "status $?"
./llvm-symbolizer --output-style=JSON -e gone.exe 0x1183
echo "status $?"
./llvm-symbolizer 'gone.exe 0x1183'
echo "status $?"
tm-llvm-symbolizer -e gone.exe 0x1183
