# The id of a module of Windows in the one spelling of symbol servers, whoever prints it: the generator's GUID is the bytes
# 0x10 to 0x1f, of which the first four, two and two are numbers, and the age is 1. One of an ELF file stays in bytes.
mkdir run
"$GEN/minidump" x64 >run/game.dmp
"$GEN/minidump" linux >linux.dmp
tm-symbolize -q --missing run/game.dmp
# What may find the PDB.
tm-symbolize --missing run/game.dmp 2>&1 >out | grep -o 'modules of Windows: .*'
tm-symbolize --missing --symbol-server http://127.0.0.1:1 --debuginfod-timeout 1 run/game.dmp 2>&1 >out | grep -c 'modules of Windows: .*'
tm-symbolize -q --explain run/game.dmp | grep 'captured build-id'
tm-symbolize -q --explain linux.dmp | grep 'captured build-id'
tm-session -q --csv run | grep -o '[0-9A-Fa-f]\{32,\}'
tm-dump -q run/game.dmp | grep -o 'build-id=[^ ]*'
tm-export -q --as sqlite -o run.db run/game.dmp
sqlite3 run.db 'SELECT name, build_id FROM modules WHERE build_id IS NOT NULL'
