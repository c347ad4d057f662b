# Sound captures of uftrace that were called lost: the last record has a return value behind it (8 bytes, as of
# uftrace record -a), and a symbol has no name. Half a record at the end is a loss, as before.
mkdir uf && "$GEN/instrument" uftrace uf 3 >/dev/null
judge() { tm-spikes -q --gate 100000 "$1" >/dev/null 2>err; echo "$1: status $?"; }
judge uf
dat=$(ls uf/*.dat | head -n 1)
sym=$(ls uf/*.sym | head -n 1)
cp -r uf named && printf '00000000000210e0 P \n' >>"named/${sym##*/}"
judge named
# The last record again, 16 bytes whose 9th has the bit for what follows (4), and 8 bytes behind.
cp -r uf value
python3 - "value/${dat##*/}" <<'X'
import sys
d = open(sys.argv[1], 'rb').read()
last = bytearray(d[-16:])
last[8] |= 4
open(sys.argv[1], 'wb').write(d[:-16] + bytes(last) + bytes(8))
X
judge value
cp -r uf cut && head -c -8 "$dat" >"cut/${dat##*/}"
judge cut
