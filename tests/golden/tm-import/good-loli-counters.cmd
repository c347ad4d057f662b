# The generator's truth against what is read: each series of the chart (last and sum, in B), and the
# Pss of each module; of 25 with sizes and libUE4.so, which has 0, the last six are the others. Rss is
# 3 kB more each, size 16384 kB, private clean 1, shared clean 2; both dirty ones together are Pss.
"$GEN/loli" -n 500 -s 9 -d 4 -c 40 -m 25 loli-106 >a.loli 2>truth
tm-dump a.loli >dump
awk -F '"' '/^counter [0-9]+ name/ { split($1, w, " "); name[w[2]] = $2; unit[w[2]] = $4 }
	/^counter (time|value)/ {
		match($0, /value=[0-9]+/); v = substr($0, RSTART + 6, RLENGTH - 6)
		match($0, /type=[0-9]+/); t = substr($0, RSTART + 5, RLENGTH - 5)
		n[t]++; sum[t] += v; last[t] = v
	}
	END { for (t in n) printf "%s %s n %d last %.0f sum %.0f\n", name[t], unit[t], n[t], last[t], sum[t] }
' dump | sort >got
awk '$1 == "chart" { printf "%s B n 40 last %.0f sum %.0f\n", $2, $3, $4 }' truth | sort >want
grep '^meminfo' got | diff want - && echo 'chart: the same'
awk '$1 == "pss" { print $3, $2 } END { print 0, "libUE4.so" }' truth | sort -k 1,1nr -k 2,2 | awk '
	NR <= 20 { printf "smaps.pss %s B n 1 last %.0f sum %.0f\n", $2, $1, $1; next }
	{ others += $1 }
	END { printf "smaps.pss (others) B n 1 last %.0f sum %.0f\n", others, others }' | sort >want
grep '^smaps.pss [^B]' got | diff want - && echo 'modules: the same'
grep '^smaps[^ ]* B' got
grep 'note.*smaps' dump
# As text in addition to another capture: two mappings of each of ten files; the time is not known.
"$GEN/loli" -m 20 smaps >run.smaps 2>truth
printf '{"slide":"0x100000000"}\n{"f":7,"d":[{"t":"A","s":8,"r":8,"st":["0x1;"],"sz":[8]}]}\n' >run.mem
tm-import -q --maps run.smaps run.mem | tm-dump >dump
awk -F '"' '/^counter [0-9]+ name="smaps.pss lib/ { split($1, w, " "); name[w[2]] = $2 }
	/^counter value/ {
		match($0, /value=[0-9]+/); v = substr($0, RSTART + 6, RLENGTH - 6)
		match($0, /type=[0-9]+/); t = substr($0, RSTART + 5, RLENGTH - 5)
		if (t in name) print name[t], v
	}' dump | grep -v -e libUE4 -e libc | sort >got
awk '{ sum[$2] += $3 } END { for (n in sum) printf "smaps.pss %s %.0f\n", n, sum[n] }' truth |
	sort | diff - got && echo 'smaps text: the same'
tm-compare -q --maps run.smaps --table counters run.mem run.mem | head -n 4
# Plain maps have no sizes.
"$GEN/loli" maps >run.maps
tm-dump -q --maps run.maps run.mem | grep smaps || echo no sizes
