#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The period of perf's samples (how many cycles, page faults ... each stands for) is a metric of its own in every
# report and export. Truth: awk over the text that is read here, and perf report where perf works. The periods of
# several events never add up. Aggregates and histories of a program that did not know of periods are read.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"

# Few samples with a large period in slow, many with a small one in fast. EVENT SEED
text() {
	awk -v event="$1" -v seed="$2" 'BEGIN {
		for (i = 0; i < 300; i++) {
			leaf = i % 10 ? "fast" : "slow"
			period = (i % 10 ? 1000 : 900000) + i * 7919 * seed % 1000
			thread = i % 3 ? "main 7" : "job 8"
			split(thread, name, " ")
			printf "%s 7/%d [000] 10.%06d:    %d %s: \n", name[1], name[2], i * 100, period, event
			printf "\t1000 %s+0x0 (/bin/game)\n\t2000 %s+0x8 (/bin/game)\n\t3000 main+0x4 (/bin/game)\n\n", \
				leaf, i % 2 ? "odd" : "even"
		}
	}'
}
# The sums of each function of a text: in it alone (0), or with what it called (1).
truth() { # CUMULATIVE FILE
	awk -v all="$1" '
		/^[a-z]/ { period = $5; depth = 0; next }
		/^\t/ { sub(/\+.*/, "", $2); if (all || !depth++) sum[$2] += period }
		END { for (f in sum) print f, sum[f] }' "$2" | sort
}
# "KEY N" of rows in which N is more than 0.
column() { # NAME KEY PROGRAM...
	local name=$1 key=$2
	shift 2
	"$@" -q --csv 2>err | tr -d '\r' | awk -F , -v want="$name" -v key="$key" '
		NR == 1 { for (i = 1; i <= NF; i++) { if ($i == want) at = i; if ($i == key) by = i }; next }
		at && $at > 0 { print $by, $at }' | sort
}
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

text cycles 1 >one.perf
text instructions 2 >other.perf
total=$(awk '/^[a-z]/ { s += $5 } END { print s }' one.perf)
check 'slow comes first by period, fast by samples' eval '
	[ "$(tm-top -q --csv -n 1 --by function --sort period one.perf | tail -1 | grep -c slow)" = 1 ] &&
	[ "$(tm-top -q --csv -n 1 --by function --sort samples one.perf | tail -1 | grep -c fast)" = 1 ]'
tm-import -q -o one.tmt one.perf
tm-compare -q --save-baseline one.tma one.perf
tm-filter -q -o kept.tmt one.perf
for file in one.perf one.tmt one.tma kept.tmt; do
	truth 0 one.perf >want
	column period function tm-top -n 0 --by function $file >got
	check "$file: the period of each function is that of its samples" equal want got
	truth 1 one.perf >want
	column total_period function tm-top -n 0 --by function $file >got
	check "$file: with what it called" equal want got
done
check 'that of threads' diff <(awk '/^[a-z]/ { s[$1] += $5 } END { for (t in s) print t, s[t] }' one.perf | sort) \
	<(column period thread tm-top -n 0 --by thread one.perf)
check 'JSON has the same number' eval '
	tm-top -q --as json -n 0 --by module --sort period one.perf | grep -q "\"period\": *$total\b"'
check 'steps of time add up to it' [ "$(column period frame tm-frames -n 0 --every 5ms one.perf | awk '{ s += $2 } END { print s }')" = "$total" ]
check 'tm-view answers the same' diff <(tm-top -q --csv -n 0 --by function --sort period one.perf) \
	<(tm-view --query 'top --csv -n 0 --by function --sort period' one.perf 2>err)
check 'tm-compare: twice as much is +100 %' eval '
	sed -E "s/^([^\t].*: +)([0-9]+)( cycles)/echo \"\1\$((\2 * 2))\3:\"/e" one.perf | sed "s/cycles:.*/cycles: /" >twice.perf &&
	tm-compare -q --sort period --by module one.perf twice.perf | grep -q "+100.00%"'
check 'a gate measures it (single runs that were sampled decide nothing)' eval '
	printf "[rule periods]\nmetric = period\npercent = 10\n" >p.ini; tm-compare -q --policy p.ini one.perf twice.perf >out 2>&1; [ $? = 5 ] && grep -q "+100.00 %" out'
tm-export -q --as pprof -o one.pb.gz one.perf
check 'pprof has a sample type with the name of the event' eval '
	python3 - "$SRC/tests" one.pb.gz <<-X >got
		import gzip, sys
		sys.path.insert(0, sys.argv[1])
		import protobuf
		top = list(protobuf.fields(gzip.open(sys.argv[2]).read()))
		texts = [v.decode() for k, v in top if k == 6]
		types = [dict(protobuf.fields(v)) for k, v in top if k == 1]
		at = [texts[t[1]] for t in types].index("cycles")
		values = [protobuf.packed(dict(protobuf.fields(v))[2]) for k, v in top if k == 2]
		print(texts[types[at][2]], sum(v[at] for v in values))
	X
	[ "$(cat got)" = "count '"$total"'" ]'
check 'folded stacks by period' eval '
	[ "$(tm-export -q --as folded --sort period one.perf | awk "{ s += \$NF } END { print s }")" = "$total" ]'
check 'SQLite has a column' eval '
	tm-export -q --as sqlite -o one.db one.perf && [ "$(sqlite3 one.db "SELECT sum(period) FROM samples")" = "$total" ]'

# Two events, taken together.
cat one.perf other.perf >both.perf
tm-top -q --sort period --by function both.perf >out 2>err
check 'periods of two events are refused in words' eval '[ ! -s out ] && grep -q "several events" err'
check 'each has its own, by type' diff <(for f in one other; do
	awk '/^[a-z]/ { sub(/:$/, "", $6); n[$6] += $5 } END { for (e in n) print e, n[e] }' $f.perf
done | sort) <(column period type tm-top -n 0 --by type --sort period both.perf)
truth 0 other.perf >want
column period function tm-top -n 0 --by function --type instructions --sort period both.perf >got
check '--type keeps one, and so its periods' equal want got
check 'no report adds them up' eval '
	! tm-top -q --csv -n 0 --by function both.perf | head -1 | grep -q period &&
	! tm-frames -q --csv -n 0 --every 5ms both.perf | head -1 | grep -qw period &&
	! tm-top -q --csv -n 0 --by function one.perf other.perf | head -1 | grep -q period &&
	tm-export -q --as pprof -o both.pb.gz both.perf && ! gzip -dc both.pb.gz | grep -qw cycles/count'
check 'nor compares them' eval '
	tm-compare -q one.perf other.perf >out 2>err; [ $? != 0 ] && grep -q "not comparable" err'
tm-compare -q --save-baseline other.tma other.perf
tm-merge -o out.tma one.tma other.tma >out 2>err
check 'nor merges them' eval '[ $? != 0 ] || grep -q "periods: .cycles. there" err'
sed 's/cycles/cpu-clock/' one.perf >clock.perf
check 'the period of a clock is time' eval '
	! tm-top -q --sort period clock.perf >out 2>&1 && [ "$(column self_ns function tm-top -n 0 --by function clock.perf)" = "$(truth 0 one.perf)" ]'

# What the program of version 0.2.0 made of one.perf before it knew of periods.
base64 -d <<'X' | xz -dc >old.tma
/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4AfgAptdAESVBaQQ/Hb37orKxBz+HkGjNWsWGBUC8IZrYm4OQj7TgnQTC+nm1gKZ5ZnB/ktRkz442PEL7/QFk3
SMOp7Mfr8zNbJiD/ZQktDNrw4ub/ObaKNjJMUg7LyhTROxMndbTzc26PCZw0m1g/yLgmECrma4hRa1WX+JfbsC3HDDymcxq4viPKmAGYzdIjg4TGtV3ddQ
/sDFQA8WOvHcXBAbMAt9VstgNWgywHSQwyLGhusy85ze6/gmWca4UEzQ89UeFaRBjO2iHHRtVIZ6c/Yikw60nPPQuex6xpt4tunghiLAVvos4kefmb1Egx
xOh5in7X/vtUzWrvBVPGnJN1tFFEdyeOTLfoytWP+3ANeVBXxPODVCrI9YHn35LL2AlH8OGy4XlvvNahB2+D1oaKbHHL2b7IjJ/vvpmAgLCve8fJjAFiQv
7d+Rt+eONhOua66C+YyZSOnmy5xjVmobxTwbBf2xZNSntdDcFX3CyVKpPHP7I3bSFZ9VEit1yXzmRrt63aixVkL5YpnL6dNG1dee/S2rXs0C+THMTIYicf
CXqlF5AU0h07WnwgMO9byzAi2ofhLXBsEEzSjEYt/Jo7SErDHQbjfg4C+I02+M+mUGyC/vE79JQqhymrEK3WhNRtSqWlil2pxCYwxgnRrgeFgqCqjb2NBL
5kcxs9H4x1SDwzTEjfkotr86XdRltIFNly0sojX+1WiJh0BoS+uf/8zTm0JXdBpNYNF7EOmZ+c7Cv5Snrqa3MKIkubf5pXBk5GSJCn/cPknTVGhslto1MK
3pjJG7ggxe0FBN0osDb/MfE/BIzbVKE0cTS+MDBGZUSk8b7Wc85Zulfr2NE0qIoy0I5VDGJXcTiLiuNIbOfBh+tWy6vQ7xE5TY00ZuAAAAAA5o/ARIZmK6
AAG3BeEPAAAAGeVpscRn+wIAAAAABFla
X
base64 -d <<'X' | xz -dc >old.sql
/Td6WFoAAATm1rRGAgAhARwAAAAQz1jM4CwmB/ZdACgUhCTRpaEFwHz3dvezgpGpbeqrRVmx5G2NMejAvLmSCqR2WMtPsPc6WPDVOZ4JnXuzWJ9nxfxIyA
bBdMAE3hiamXb2LKxFvRDFBiEmSwMrQTA2XVyyVRtAJNV35zZFSpjxoILSMxkvfwpEcV1mjnLrEKKwV5DPlRlxgMEXoOAx85RIprgvF/kLtzinYz1IVt/i
oyD0Xv9Ot57WfwXx4LyyZL7SEEhnghEkjfa6l6zzlIt4hPnbBl38K6mV818TjDsmieQTh0Vzv1BOI1PO0C8qhHpSXMoFHVr7EVPR+vtlVOB7YBCnQ+GPwL
VMUqn1ExH6Hj8CmVd9AppOyaMQ+xVbE/trAhPPgvfSiJvfnmaSTBj0s8Cd+b303l2c/UxVV+H8bM74flxG9xJKPw+21LWhnQ6VBXr/dKk845FxH+lu9df/
GAjcEUrjsFUVUWCpVLEEILzFltH+0Uigixd9KYyNJX7nqPocIceTXnqBESr8yH/r/mqoukUyHRrJrrqoKtFlkkAYxeePaWsNUaT3NDJMiXCNnCjWru33wk
Aj2crorIcWmQah0gBBZLYJFzzswr00VgKKUO7BOIUwufHvFuc4Kf5e3+l/t1jQavCXdau1he79GtazZBuOuT1gy8DUfeZEImBldr92tur39k0esopXigv0
ZhRdoxiPmOo3eBVFYo4S7ZBDQ65LSOhF97jSmFgslwNqDU8RAw8Up9AAxWOG+DQSatW4auG/Zk6ygjE+eVSgkeUWDE503FHldiVvth/rgFkYBfZX9X699A
wXleTMckvLIvE8QCvH4U419oB/QOmn0KjuDCamKsXMgVRf5rAW9vFweW+s19o+rC9Zac6KRHSK5d3ur2RdCIeupWBfxnPzb1dIpBUhEjk9XUiOE1+g45MX
Q+juYUut35R7LgGiOotnvldt9bF+Yzaby6fb0zJnQrsaTX1x0IksIuL/jCQHv11+Tpu0Qn34CXJhDmMtbI9T6sk8uN38koepNwYY6XMY3vsydXD0zI3NbK
FEva1nEdLF36ocLf+ZJpXxbDI5B2w5ToJ6tSD8uaHO36A+mAiIIdk77ao/9dwZ2bN4TSneYbh5WY0ZiNcTQ1uNJkKDX3EvifCT550pJZoHJ/nMSroGX7Hx
8Cei5oz6fP3Ymv4SWocRoTJsJZYa08Bx8Z3U1fz0b1tihVn2k7dyLkRV9rnTWSlQ0ko8AjkxJe4l9SVY5XC8xo43Hr8mwE8FjjtxMvdVTGw1TDorL6hu8+
VGsyb+GYjPRSWX/Bh5Nlnlug1shaL+ePTnS01VeSci6QeORv+3RtfPEIdsXYoMHtmd+CkjaHtxPxDFCfolorQEQ1panCfx+WjQ6wl4/w8cogiUlBVdxNjz
ZIBOTQF7a6/O45lFOXQaCApoFNc6RFd0SBUTLPFT/sHPY0iqooMVn64Oew/VUsjXCwS93sNUbqYsfCeFRgUPlqD3NWTJeEbkZhADO1p2KPVwLXRPoXBYax
NtHgvCOG5GonBHcVzV771rCWcd9AFdy9cz1ZToNGqYtgIPhlSScYetozZ9LWnYyhc0zvWT6+EdnRVhK0lehMi6u7CeyUs8Q+QNt88xPnIkRX7YovxlDp3m
+X+JgYRJ37gAWaxLdCieLv8GuWIuuE1qaAPce2+QvBHYOZ6cbD04EBKDzyo1lGubh+i7OUPK4XL9ZmaMvKrUcPDCn10wLaIfEZzuG95zRY1gkU920qG0gs
VbmDabe9wbUI4TPT1D3EQUlPa7FQKVRCurszdmSyilNsxr0+iiy4UuL4QnMQZ+5y2FbufBqZVV2/PzqIaKHQS7Bu/zh6rzQY/Ki3WiTS4NPdg+xcyrCrwq
X/Un9/IGlZ2vNWTeUNRzewlFlRombiqM114B/EFt7HvVkOUDg5zSwrxjZ6t6/XWiPgLewOjgLaO6YA6TMtuq7ZxonLlrQfwROeIy6+j2rhH7v5JolgwQQ2
9o9qfZXqmnUcg2cl39ytWAYeaHQI28lXcgSXheQbH5hcm9HqmZPC4inBeNryQyGm9l2w7I38QZ2+Qh2maApEowTOW+JCKYZXzkkFrF6cWFR4JdOBOjhR4b
cN7NHlHKxPB7ovdBdrciYl+LHzHbg4kuwA7slkFH+G+4IH17bAu6FOjrVs+bVfgQ/cV4NnJHoju3dip2ZYcFsZQn4K+RmNXHt38LJnlH72M4V4gjYaCsO2
PeX8nJG1WNhyrFnUP8vT2RhK09Vk578CklpUjgy04jg7y4Z89mJWJdc7lta+QR7310iLau1Z/U6mh2SUpxnvCNOqpL6LQhA/OTHCcpyr0WwCUzMv09fQpl
m/kb1wsQxwf+ojFDPSnssnPIGh+PZ4grxPlXEd1dgs+CUesfmpxU/SYmAFNmvrV3S7aZ83QL7VcojcHe4A41dt9YBDvBKQOTYAPZ/Qxr1NdsPKcOqBh1KA
TTSRArkgDuwiJVmQWt2zghUuJxgfAqyC9ybrSXRPanHjdJi45IZc7xp170515wM58bCCBDtBzwlECYnrNV3WiCUb9m9MRpvxnhrg+HpWpIyjEXmpTDVnkm
ofJAU1yRbUGv3wvAd/DIjsvjAu1Ah8bh+u5LrS8m1v97u3nesIyxhOqPgSFituMfViuL4qBQqGkpukkgczkS5q94Bz3tnYN9l1c9cS0kRt3ewvvQsyUuH5
kFYkZHYdo18lM33bAr9bb92vuvymScUJlRhfbEC3BD5wAAAAC9ZQAUZZtzlgABkhCnWAAAo6oIQbHEZ/sCAAAAAARZWg==
X
sqlite3 old.db <old.sql >out 2>err
check 'an old aggregate is read as before' diff <(column samples function tm-top -n 0 --by function one.perf) \
	<(column samples function tm-top -n 0 --by function old.tma)
check 'where it knows no period, none is shown' eval '
	tm-top -q --sort period old.tma >out 2>err; [ $? = 2 ] && grep -q "no metric .period" err'
check 'it merges with a new one, in either order' eval '
	tm-merge -q --allow-duplicates -o a.tma old.tma one.tma && tm-merge -q --allow-duplicates -o b.tma one.tma old.tma &&
	cmp a.tma b.tma && tm-top -q --by function --sort period a.tma | grep -q "missing in some captures"'
check 'it is compared with a new run' eval '
	tm-compare -q --sort samples old.tma one.perf >out 2>err'
tm-history add -q --build 2 old.db one.perf >out 2>err
check 'an old history takes a new run' eval '[ $? = 0 ] && [ "$(sqlite3 old.db "SELECT schema_version FROM tm_store")" = 6 ]'
check 'which alone has a period there' eval '
	tm-history trend -q --sort period --csv old.db >out 2>err && grep -q "$total" out &&
	[ "$(sqlite3 old.db "SELECT count(*) FROM tm_sums WHERE period IS NOT NULL AND run = (SELECT min(run) FROM tm_sums)")" = 0 ]'

cat >program.c <<'X'
#include <sys/mman.h>
__attribute__((noinline)) static void touch(volatile char *p, int n) { for (int i = 0; i < n; i++) p[i * 4096] = 1; }
__attribute__((noinline)) static int map(int n) {
	char *p = mmap(0, 4096ul * n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	madvise(p, 4096ul * n, MADV_NOHUGEPAGE); touch(p, n); return *p; }
int main(void) { int s = 0; for (int i = 0; i < 20; i++) s += map(2000) + map(200); return s == 1; }
X
if ! command -v perf >/dev/null || ! ${CC:-cc} -O1 -g -fno-omit-frame-pointer -o program program.c 2>err ||
	! perf record -q -e page-faults -F 3000 -g -o perf.data ./program >out 2>err || ! perf script -i perf.data >real.perf 2>err; then
	echo "skip - perf report's own numbers (perf does not work here)"
	exit $failed
fi
perf report -i perf.data --stdio -F period,sym --no-children -g none 2>err |
	awk '$2 == "[.]" && $3 ~ /^[a-z]+$/ { print $3, $1 }' | sort >want
column period function tm-top -n 0 --by function real.perf | grep -wFf <(cut -d ' ' -f 1 want) >got
check "a recorded program: the period of each function is perf report's" equal want got
check 'the same of perf.data, over all' [ "$(column period module tm-top -n 0 --by module perf.data | awk '{ s += $NF } END { print s }')" = \
	"$(perf report -i perf.data --stdio -n 2>err | sed -n 's/^# Event count (approx.): //p')" ]
exit $failed
