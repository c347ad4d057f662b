# shellcheck shell=bash
# SPDX-License-Identifier: MIT
#
# Rows of symbolize.sh for a PDB of 300 MB and more beside llvm-symbolizer 19, and for WebAssembly and a PE file with DWARF.
# Compiling that much would take an hour: four objects of many templates, for the ABI of MSVC, are copied with other names
# of the same length, and linked by lld-link. LLVM has 20,000 addresses, since it needs an hour for 400,000, and runs once.
# So the goal of memory is a third of LLVM's peak for 20,000 addresses, for 20,000 and for 400,000 of ours.

pdb_copies=48

make_pdb() {
	local flags=(--target=x86_64-pc-windows-msvc -O1 -g -gcodeview -ffreestanding -mno-stack-arg-probe -fno-exceptions -fno-rtti)
	local name calls='' n=0 u c

	echo 'volatile int sink; extern "C" int _fltused = 1;' >main.cpp
	for ((u = 0; u < 4; u++)); do
		clang++-19 "${flags[@]}" -DUNIT=$u -DCOUNT=250 -c "$SRC/tests/bench/templates.cpp" -o "unit$u.o" || return
		for ((c = 0; c < pdb_copies; c++, n++)); do
			printf -v name 'unit%04d' $n
			sed "s/unit0000/$name/g" "unit$u.o" >"copy$n.o"
			echo "namespace $name { int run(int); }" >>main.cpp
			calls="$calls + $name::run(sink)"
		done
	done
	echo "extern \"C\" int mainCRTStartup(void) { return 0 $calls; }" >>main.cpp
	clang++-19 "${flags[@]}" -c main.cpp -o main.o &&
		lld-link-19 /debug /nodefaultlib /entry:mainCRTStartup /subsystem:console /machine:x64 /pdb:big.pdb /out:part.exe \
			main.o copy*.o && mv part.exe big.exe
	rm -f ./*.o
}

# N different addresses of a file's code at random.
draw_code() { # FILE N
	llvm-objdump-19 -h "$1" | awk -v n="$2" -v seed="$seed" '
		function hex(s, i, v) {
			for (i = 1; i <= length(s); i++)
				v = 16 * v + index("0123456789abcdef", substr(s, i, 1)) - 1
			return v
		}
		$2 == ".text" { size = hex($3); lo = hex(substr($4, 9)); high = substr($4, 1, 8) }
		$2 == "CODE" { size = hex($3); lo = 0; high = "00000000" } # of wasm: offsets in it
		END {
			srand(seed)
			while (k < n) {
				at = int(rand() * size)
				if (!(at in seen)) { seen[at] = 1; k++; printf "0x%s%08x\n", high, lo + at }
			}
		}'
}

# pdb_row NAME N COMMAND...: the best of some runs; sets pdb_cpu, pdb_wall and pdb_peak.
pdb_row() {
	local name=$1 n=$2 times=$3 i

	shift 3
	: >samples
	for ((i = 0; i < times; i++)); do
		"$GEN/rss" -o one "$@" <"$n.addresses" >answers 2>err || stop "$name: $(head -n 1 err)"
		cat one >>samples
	done
	read -r pdb_cpu pdb_wall pdb_peak < <(awk '
		{ c = $2 + $3; if (NR == 1 || c < cpu) cpu = c; if (NR == 1 || $1 < wall) wall = $1; if ($4 > peak) peak = $4 }
		END { print cpu, wall, peak }' samples)
	awk -v name="$name" -v n="$n" -v c="$pdb_cpu" -v w="$pdb_wall" -v p="$pdb_peak" \
		'BEGIN { printf "| %s | %d | %.3f | %.3f | %.0f |\n", name, n, w, c, p / 1024 }'
}

# One object with DWARF. Names are short ones: sh/wasm says why.
bench_dwarf_of() { # NAME FILE OPTION...
	local name=$1 file=$2 our_cpu differ
	local flags=(-O1 -g -gdwarf-4 -ffreestanding -fno-exceptions -fno-rtti -nostdlib -DUNIT=0 -DCOUNT=60)

	shift 2
	cat >main.cpp <<-'END'
		volatile int sink;
		namespace unit0000 { int run(int); }
		extern "C" int _fltused = 1;
		extern "C" int mainCRTStartup(void) { return unit0000::run(sink); }
	END
	[ -f "$file" ] || clang++-19 "${flags[@]}" "$@" "$SRC/tests/bench/templates.cpp" main.cpp -o "$file" 2>make.log ||
		{ missing "$name" "it cannot be made: $(head -n 1 make.log)" && return; }
	draw_code "$file" 20000 >20000.addresses
	pdb_row "tracemill, $name" 20000 "$runs" tm-llvm-symbolizer -q --lenient --no-cache --functions=short -a -e "$file"
	our_cpu=$pdb_cpu
	mv answers ours
	pdb_row "llvm-symbolizer 19, $name" 20000 1 llvm-symbolizer-19 --functions=short -a -e "$file"
	differ=$(diff <(awk -v RS= '{ gsub(/\n/, " "); print }' ours) <(awk -v RS= '{ gsub(/\n/, " "); print }' answers) | grep -c '^<' || true)
	[ "$differ" -le 20 ] || stop "of 20,000 answers of $name $differ are not those of llvm-symbolizer: no table"
	goal "$name: tracemill / llvm-symbolizer, 20000, CPU" "$(part "$our_cpu" "$pdb_cpu")"
}

bench_pdb() {
	local tool ours=(tm-llvm-symbolizer -q --lenient --no-cache -a -e big.exe) our_cpu our_peak many_peak differ

	for tool in clang++-19 lld-link-19 llvm-symbolizer-19 llvm-objdump-19; do
		command -v $tool >/dev/null || { missing 'a large PDB' "there is no $tool" && return; }
	done
	mkdir -p "$work/pdb"
	cd "$work/pdb" || return
	if [ ! -f big.exe ]; then
		say 'making a large PDB'
		make_pdb 2>make.log || { missing 'a large PDB' "it cannot be made: $(head -n 1 make.log)" && return; }
	fi
	goals_begin pdb
	echo
	echo "The best of $runs runs; llvm-symbolizer once. The PDB has $(($(stat -c %s big.pdb) / 1000000)) MB; LLVM needs an hour for 400,000 addresses of it."
	echo
	echo '| program | addresses | wall, s | CPU, s | peak, MiB |'
	echo '|---|--:|--:|--:|--:|'
	bench_dwarf_of 'wasm with DWARF' t.wasm --target=wasm32 -Wl,--no-entry -Wl,--export=mainCRTStartup -Wl,--allow-undefined
	bench_dwarf_of 'PE with DWARF' t.exe --target=x86_64-w64-mingw32 -mno-stack-arg-probe -fuse-ld=lld-19 -Wl,--entry=mainCRTStartup
	for n in 400000 20000 1000 1; do draw_code big.exe $n >$n.addresses; done
	cat big.pdb big.exe >/dev/null
	pdb_row tracemill 400000 "$runs" "${ours[@]}"
	many_peak=$pdb_peak
	pdb_row tracemill 1000 "$runs" "${ours[@]}"
	pdb_row tracemill 1 "$runs" "${ours[@]}"
	goal 'a PDB: one address, ms' "$(awk -v w="$pdb_wall" 'BEGIN { print w * 1000 }')" '<= 30'
	pdb_row tracemill 20000 "$runs" "${ours[@]}"
	our_cpu=$pdb_cpu our_peak=$pdb_peak
	mv answers ours
	rm -rf cache
	: >0.addresses
	pdb_row 'tm-symbolize --prewarm' 0 1 tm-symbolize -q --prewarm --cache cache big.exe
	for n in 400000 1000 20000; do
		pdb_row 'tracemill, its index' $n "$runs" tm-llvm-symbolizer -q --lenient --cache cache -a -e big.exe
	done
	cmp answers ours || stop 'other answers of the PDB from its index: no table'
	pdb_row 'llvm-symbolizer 19' 20000 1 llvm-symbolizer-19 -a -e big.exe
	differ=$(diff <(awk -v RS= '{ gsub(/\n/, " "); print }' ours) <(awk -v RS= '{ gsub(/\n/, " "); print }' answers) | grep -c '^<' || true)
	[ "$differ" -le 20 ] || stop "of 20,000 answers of the PDB $differ are not those of llvm-symbolizer: no table"
	goal 'a PDB: tracemill / llvm-symbolizer, 20000, CPU' "$(part "$our_cpu" "$pdb_cpu")" '<= 0.025'
	goal 'a PDB: peak / llvm-symbolizer, 20000' "$(part "$our_peak" "$pdb_peak")" '<= 0.333'
	goal 'a PDB: peak of 400000 / llvm-symbolizer, 20000' "$(part "$many_peak" "$pdb_peak")" '<= 0.333'
	goals_end
	echo "- of 20000 answers of the PDB $differ differ from those of llvm-symbolizer"
	cd "$work" || return
}
