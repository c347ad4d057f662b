#!/bin/bash
# SPDX-License-Identifier: MIT
# tier: all
# timeout: 1800
#
# cppcheck's warnings, portability and performance; its build directory keeps what it knows.
# shiftTooManyBitsSigned: every compiler we build with shifts signed numbers arithmetically.
# identicalInnerCondition: if (x) return x;
# uninitvar: it does not follow struct x = {0}; the compilers and clang-tidy look for the same.
# readdirCalled: glibc has deprecated readdir_r; no two threads share a DIR.
# allocaCalled: what alloca does to the stack is what lib/cli/msg.c wants of it.
# _Noreturn: it knows the attribute only.
set -u
cd "$SRC" || exit 1
mkdir -p build/lint/cppcheck

if ! out=$(cppcheck --quiet -j "$(nproc)" --cppcheck-build-dir=build/lint/cppcheck --std=c11 \
	--language=c --library=posix,gnu --enable=warning,portability,performance -I. \
	--suppress=readdirCalled --suppress=shiftTooManyBitsSigned --suppress=uninitvar \
	--suppress=identicalInnerCondition --suppress=allocaCalled:lib/cli/msg.c \
	'-D_Noreturn=__attribute__((noreturn))' \
	-D_GNU_SOURCE -DTM_VERSION='"0"' --error-exitcode=1 --template=gcc lib formats cmd 2>&1); then
	echo "$out" | head -n 60 | sed 's/^/  /'
	echo "not ok - cppcheck"
	exit 1
fi
echo "ok - cppcheck: lib, formats, cmd"
