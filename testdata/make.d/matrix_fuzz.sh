#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/corpus/{mach,ar,gsym,breakpad}/: what matrix_files.sh has made, as it is and damaged.

set -eu
: "${SRC:?}" "${DATA:?}" "${GEN:?}"
from=$DATA/matrix
part=$DATA/corpus/files.part
rm -rf "$part"

corpus() { # NAME COUNT FILE...
	name=$1 count=$2
	shift 2
	mkdir -p "$part/$name" "$part/seeds"
	for seed; do
		if [ ! -e "$seed" ]; then
			echo "skip - $name in the fuzz corpus (no $seed)"
			continue
		fi
		row=$(basename "$(dirname "$seed")")
		cp "$seed" "$part/$name/$row"
		cp "$seed" "$part/seeds/$row"
		"$GEN/mutate" any "$count" "$part/$name" "$part/seeds/$row"
		rm "$part/seeds/$row"
	done
	rm -rf "${DATA:?}/corpus/$name"
	mv "$part/$name" "$DATA/corpus/$name"
}

cd "$from"
corpus mach 60 mach-arm64/game-arm64 dsym-x86_64/game-x86_64.dSYM/Contents/Resources/DWARF/game-x86_64 \
	mach-universal/game object-x86_64/world.o object-arm/world.o object-zlib/world.o \
	kernel-module/game.ko
corpus ar 80 archive/libgame.a archive-bsd/libgame.a archive-thin/libgame.a
corpus gsym 200 gsym/game.gsym gsym-big-endian/game.gsym
corpus breakpad 200 breakpad/game.sym
rm -rf "$part"
