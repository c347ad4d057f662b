#!/bin/bash
# SPDX-License-Identifier: MIT
#
# docs/pictures.sh    (make pictures sets the environment up)
#
# The pictures in docs/: pages of tracemill's own, of captures of the demo's game, in a headless Chromium. The game is
# compiled as if its sources were in /src, so that a picture shows no folder of the machine that made it.
set -eu
: "${SRC:?}" "${BUILD:?}"
# shellcheck source=tests/browser.bash
. "$SRC/tests/browser.bash"

work=$BUILD/pictures
mkdir -p "$work"
DATA=$work GXX="${CXX:-g++} -ffile-prefix-map=testdata/src/demo=/src -ffile-prefix-map=$SRC=/src" sh "$SRC/testdata/make.d/demo.sh" gcc-dwarf5-O2 300
cd "$work"
game=demo/gcc-dwarf5-O2/bin
mkdir -p run
"$game/arcade" --frames 300 --out run
tm-symbolize -q --maps run/arcade.maps -e "$game/arcade" -e "$game/libengine.so" run/arcade.mem >run.tmt
tm-top -q --guess-sites -o report.html run.tmt
LANG=C.UTF-8 python3 "$SRC/docs/pictures.py" "$browser" "$SRC"
# 128 colours are what such a page needs.
! command -v pngquant >/dev/null || pngquant --force --ext .png --strip 128 "$SRC"/docs/{view,view.zh-CN,compare,report}.png
wc -c "$SRC"/docs/*.png
