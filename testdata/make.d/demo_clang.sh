#!/bin/sh
# SPDX-License-Identifier: MIT
# tier: all
#
# $DATA/demo/clang-*/: the variants of demo.sh that clang builds.
set -eu
: "${SRC:?}" "${DATA:?}"
exec sh "$SRC/testdata/make.d/demo.sh" all-of clang
