#!/bin/bash
# SPDX-License-Identifier: MIT
# timeout: 400
#
# Logs with stacks as captures: sums against how they were made (testdata/gen/crash_log.c), cut at
# every byte.
# shellcheck disable=SC2016,SC2317
set -u
: "${SRC:?}" "${GEN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
equal() { [ -s "$1" ] && diff "$1" "$2" >err; }

# "stacks N", "calls N", "bytes N", "blocks N", in the truth's words: from the events themselves
sums() {
	tm-dump -q "$1" 2>err | awk '
		function field(name) { return match($0, " " name "=[0-9]+") ? substr($0, RSTART + length(name) + 2, RLENGTH - length(name) - 2) : 0 }
		/^stack / { id = $2; sub(":", "", id); depth[id] = depth[field("parent")] + 1 }
		/^(alloc|sample|profile) / { stacks++; calls += depth[field("stack")] }
		/^(alloc|profile) / { bytes += field("requested"); blocks += field("count") ? field("count") : 1 }
		END { print "stacks", stacks; print "calls", calls; if (bytes) { print "bytes", bytes; print "blocks", blocks } }'
}
for form in lsan named asan tsan tombstone logcat leaks old harmony hs_err hs_err_java glibc unreachable heap heap10 counted heap11 info crlf; do
	"$GEN/crash_log" --stacks 70 $form >file 2>truth
	sums file >got
	check "$form: stacks, calls, bytes and blocks are the generator's" equal truth got
	gzip -kf file && check "$form: the same from a pipe, compressed" \
		cmp -s <(tm-dump -q file) <(tm-dump -q - <file.gz)
done
for form in lsan logcat info counted; do
	"$GEN/crash_log" --stacks 3 $form >small 2>truth
	"$GEN/cuts" --step 3 --silent 60 --rss "$([ -n "${SAN-}" ] && echo 0 || echo 64)" small tm-import || failed=1
done
# A changelog that names a sanitizer is no log of one.
printf 'giflib (5.2.1) unstable\n\n  - Fixes MemorySanitizer: FPE on unknown address\n  SUMMARY: UndefinedBehaviorSanitizer: lib/setopt.c:177\n' >changelog
tm-import -q -o x.tmt changelog 2>err
check 'a text that names a sanitizer is not claimed' grep -q 'unknown capture format' err
exit $failed
