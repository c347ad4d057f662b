# Files that --unwind names and that walk no frame: why, in a line each. The dump's module has the GUID and age below.
"$GEN/minidump" x64 >game.dmp
id=131211101514171618191A1B1C1D1E1F1
printf '%s\n' "MODULE windows x86_64 $id game.pdb" 'FUNC 1000 10 0 main' >game.exe.sym
cp game.exe.sym copy.sym
sed "s/$id/00${id:2}/" game.exe.sym >GAME.EXE
sed "s/$id/00${id:2}/" game.exe.sym >other.sym
cp "$BIN/tm-import" elf
tm-import -o game.tmt --unwind game.exe.sym --unwind copy.sym --unwind GAME.EXE --unwind other.sym --unwind elf game.dmp
echo "status $?"
tm-import -o game.tmt --unwind game.exe.sym --unwind none.exe game.dmp
echo "status $?"
printf '%s\n' '{"f":1,"d":[{"t":"a","s":8,"r":16,"st":["0x10;"],"sz":[16]}]}' >run.mem
tm-import -o run.tmt --unwind game.exe.sym run.mem
echo "status $?"
