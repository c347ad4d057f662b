#!/bin/bash
# SPDX-License-Identifier: MIT
#
# Archives of captures, made by Python's zipfile and tarfile: their members read one after another are the
# captures that the same files give one by one, but for the attribute that names the member. What is no
# capture, damaged, encrypted, nested or too large is named, and leaves the others as they are; a cut at any
# byte ends no program; a bomb takes no memory.
set -u

if ! command -v python3 >/dev/null; then
	echo "skip - archives (no python3 here)"
	exit 0
fi
ok() { echo "ok - $1"; }
not_ok() {
	echo "not ok - $1"
	[ ! -s "${2-}" ] || sed 's/^/    /' "$2" | head -n 20
}

# Three formats, of which one is read twice, and one is packed.
corpus=$SRC/tests/fuzz/corpus
cp "$corpus/tracy_csv/each" zones.csv
cp "$corpus/instruments/bytes" deep.txt
printf 'main;draw 3\nmain;update 4\n' >one.folded
gzip -nc one.folded >two.folded.gz
tm-import -q -o three.tmt one.folded || exit 1
captures="zones.csv one.folded two.folded.gz deep.txt three.tmt"
echo 'Captures of the build machine.' >README

cat >make.py <<'END'
import io, os, sys, tarfile, zipfile
names = sys.argv[1].split()
data = {n: open(n, "rb").read() for n in names}
for how, kind in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED)):
    with zipfile.ZipFile(how + ".zip", "w", kind) as z:
        z.writestr("run/", b"")
        for n in names:
            z.writestr("run/" + n, data[n])
for mode, form, end in (("", tarfile.USTAR_FORMAT, ""), ("", tarfile.GNU_FORMAT, ".gnu"),
                        ("gz", tarfile.PAX_FORMAT, ".gz"), ("xz", tarfile.PAX_FORMAT, ".xz"), ("bz2", tarfile.PAX_FORMAT, ".bz2")):
    with tarfile.open("run.tar" + end, "w:" + mode, format=form) as t:
        for n in names:
            t.add(n)
# A name that leads elsewhere is only a name; links and pipes are passed over; archives are not entered.
inner = io.BytesIO()
with zipfile.ZipFile(inner, "w") as z:
    z.writestr("in.folded", "main;inner 9\n")
with zipfile.ZipFile("odd.zip", "w", zipfile.ZIP_DEFLATED) as z:
    z.writestr("../../up.folded", "main;up 1\n")
    z.writestr("/abs.folded", "main;abs 2\n")
    z.writestr("\u00e9.folded", "main;utf 3\n")
    z.writestr("inner.zip", inner.getvalue())
    z.writestr("README", data["README"] if "README" in data else b"Captures\n")
    z.writestr("empty.folded", b"")
with tarfile.open("links.tar", "w") as t:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE):
        i = tarfile.TarInfo("link%s.folded" % kind.decode())
        i.type, i.linkname = kind, "one.folded"
        t.addfile(i)
    t.add("one.folded")
with zipfile.ZipFile("none.zip", "w"):
    pass
with zipfile.ZipFile("nothing.zip", "w") as z:
    z.writestr("README", b"Captures of the build machine.\n")
# A wrong checksum in the middle of three; and the bit that says encrypted, in both places.
with zipfile.ZipFile("crc.zip", "w") as z:
    for i in range(3):
        z.writestr("%d.folded" % i, "main;crc%d 5\n" % i)
b = bytearray(open("crc.zip", "rb").read())
at = b.index(b"main;crc1 5")
b[at + 10] = ord("6")
open("crc.zip", "wb").write(b)
with zipfile.ZipFile("locked.zip", "w") as z:
    z.writestr("open.folded", "main;open 5\n")
    z.writestr("locked.folded", "main;shut 5\n")
b = bytearray(open("locked.zip", "rb").read())
for mark, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
    b[b.rindex(mark) + flags] |= 1
open("locked.zip", "wb").write(b)
# A directory that libarchive finds and one that it does not need: comments, zip64, sizes behind the members, a zip
# file in a stored one, bytes behind the end.
class Pipe(io.BytesIO):
    def seekable(self):
        return False
    def seek(self, *_):
        raise OSError
def whole(name, comment=b"", f=None, zip64=False, stored=None, behind=b""):
    f = io.BytesIO() if f is None else f
    with zipfile.ZipFile(f, "w", zipfile.ZIP_STORED if stored else zipfile.ZIP_DEFLATED) as z:
        for i in (1, 2, 3):
            with z.open("%d.folded" % i, "w", force_zip64=zip64) as m:
                m.write(b"main;f%d %d\n" % (i, i))
        if stored:
            z.writestr("inner.zip", stored)
        z.comment = comment
    open(name, "wb").write(f.getvalue() + behind)
whole("whole-plain.zip")
whole("whole-comment.zip", comment=b"PK\5\6" + b"c" * 65000)
whole("whole-pipe.zip", f=Pipe())
whole("whole-zip64.zip", zip64=True)
whole("whole-stored.zip", stored=inner.getvalue())
whole("whole-behind.zip", behind=b"\0" * 100)
# 1 GiB of zeros, and a gigabyte of lines.
with zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED) as z:
    with z.open("zeros", "w", force_zip64=True) as f:
        for _ in range(1024):
            f.write(bytes(1 << 20))
    z.writestr("after.folded", "main;after 7\n")
    with z.open("lines.folded", "w", force_zip64=True) as f:
        for _ in range(64):
            f.write(b"main;line 1\n" * 87381)
# 7z: 99 million members are announced by as many bits, packed to 1.9 KB; and a directory behind the end.
import lzma, struct, zlib
def number(n):
    for i in range(8):
        if n < 1 << (7 * (i + 1)):
            return bytes([(0xff << (8 - i)) & 0xff | n >> (8 * i)]) + (n & ((1 << (8 * i)) - 1)).to_bytes(i, "little")
def seven(directory, before=b"", size=None):
    s = struct.pack("<QQI", len(before), len(directory) if size is None else size, zlib.crc32(directory))
    return b"7z\xbc\xaf\x27\x1c\0\4" + struct.pack("<I", zlib.crc32(s)) + s + before + directory
many = 99000000
bits = b"\xff" * ((many + 7) // 8)
d = b"\x01\x05" + number(many) + b"\x0e" + number(len(bits)) + bits + b"\0\0"
open("plain.7z", "wb").write(seven(d))
packed = lzma.compress(d, lzma.FORMAT_RAW, filters=[{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 3, "lp": 0, "pb": 2}])
e = (b"\x17\x06" + number(0) + number(1) + b"\x09" + number(len(packed)) + b"\0\x07\x0b" + number(1) + b"\0" + number(1) +
     b"\x23\x03\x01\x01" + number(5) + bytes([93]) + struct.pack("<I", 1 << 16) + b"\x0c" + number(len(d)) + b"\0\0")
open("packed.7z", "wb").write(seven(e, packed))
open("short.7z", "wb").write(seven(b"\x01\0", size=1 << 40))
# Stored members, as 7z -mx=0 writes them: copied bytes, one coder (00), a stream each.
parts = [data[n] for n in names]
h = b"\x01\x04\x06" + number(0) + number(len(parts)) + b"\x09" + b"".join(number(len(p)) for p in parts) + b"\0"
h += b"\x07\x0b" + number(len(parts)) + b"\0" + b"\x01\x01\0" * len(parts) + b"\x0c" + b"".join(number(len(p)) for p in parts)
h += b"\x0a\x01" + b"".join(struct.pack("<I", zlib.crc32(p)) for p in parts) + b"\0\x08\0\0"
text = b"\0" + b"".join(n.encode("utf-16-le") + b"\0\0" for n in names)
h += b"\x05" + number(len(parts)) + b"\x11" + number(len(text)) + text + b"\0\0"
open("run.7z", "wb").write(seven(h, b"".join(parts)))
END
python3 make.py "$captures" || exit 1

# --- the same captures ---
for c in $captures; do tm-dump "$c"; done >want
if [ "$(grep -c '^totals' want)" != 5 ]; then not_ok "five captures, one by one" want; fi
same() { # ARCHIVE
	tm-dump "$1" 2>err >all
	grep -v '^attribute member=' all | cmp - want >>err 2>&1 &&
		[ "$(grep -c '^attribute member=' all)" = 4 ] && [ ! -s err ] # a trace is as it was
}
for a in stored.zip deflated.zip run.tar run.tar.gnu run.tar.gz run.tar.xz run.tar.bz2 run.7z; do
	if same $a; then ok "$a"; else not_ok "$a" err; fi
	tm-dump <$a >redirected 2>err
	cat $a | tm-dump - >piped 2>>err
	if cmp redirected all 2>>err && cmp piped all 2>>err && [ ! -s err ]; then ok "$a from standard input"; else not_ok "$a from standard input" err; fi
done
# shellcheck disable=SC2086 # several
tm-top -q --by function --csv $captures >files.csv
tm-top -q --by function --csv deflated.zip >zip.csv
if [ -s files.csv ] && cmp files.csv zip.csv; then ok "tm-top of an archive and of its files"; else not_ok "tm-top"; fi
tracemill show deflated.zip >shown 2>&1
if grep -q 'a zip file of captures, the first: tables of tracy-csvexport' shown && grep -q '^top ' shown; then
	ok "tracemill show"
else
	not_ok "tracemill show" shown
fi

# --- of the tools that people have: what zip, jar and tar write of a folder is the files that are in it ---
mkdir -p of/sub && cp one.folded of/ && cp one.folded "of/sub/two files.folded"
head -c 200000 </dev/urandom | od -An -v -tx1 -w20 | sed 's/ //g; s/^/main;/; s/$/ 1/' >of/many.folded # parts of 64 KiB
for c in of/*.folded of/sub/*; do tm-dump "$c"; done | grep '^sample' | sed 's/ stack=.*//' | sort >want
if command -v zip >/dev/null; then
	zip -qr deflate.of.zip of && zip -qr0 store.of.zip of && zip -qr - of >stream.of.zip && zip -qr -fz zip64.of.zip of &&
		echo 'a comment' | zip -qrz comment.of.zip of && zip -qr -s 64m part.of.zip of && zip -qr -s 64k parts.zip of &&
		cat parts.z?? parts.zip >joined.of.zip
fi >made 2>&1
if command -v jar >/dev/null; then jar cf jar.of.zip of >>made 2>&1; fi
for form in v7 oldgnu gnu ustar pax; do tar --format=$form -cf $form.of.tar of >>made 2>&1; done
for a in *.of.zip *.of.tar; do
	[ -s "$a" ] || continue
	tm-dump "$a" 2>err | tee all | grep '^sample' | sed 's/ stack=.*//' | sort | cmp - want >>err 2>&1
	if [ "${PIPESTATUS[4]}" = 0 ] && ! grep -q '^note loss' all && [ ! -s err ]; then ok "$a"; else not_ok "$a" err; fi
done

# --- what is odd ---
tm-dump odd.zip >got 2>err
if [ "$(grep -c '^sample' got)" = 3 ] && grep -q 'member="../../up.folded"' got && grep -q 'member="é.folded"' got &&
	grep -q 'note info "member .inner.zip.: not a capture that tracemill reads, but a zip file' got &&
	grep -q 'note info "member .README.: unknown capture' got && grep -q 'note loss "member .empty.folded.: empty file' got &&
	[ ! -s err ] && [ "$(find .. -name '*up.folded' | wc -l)" = 0 ]; then
	ok "names that lead elsewhere, an archive in it, no captures"
else
	not_ok "odd.zip" got
fi
tm-dump links.tar >got 2>err
if [ "$(grep -c '^totals' got)" = 1 ] && [ "$(grep -c '^sample' got)" = 2 ] && [ ! -s err ]; then ok "links"; else not_ok "links" got; fi
tm-dump crc.zip >got 2>err
if [ "$(grep -c '^totals' got)" -ge 2 ] && grep -q 'name="crc2"' got && grep -q 'note loss .*CRC' got; then
	ok "a wrong checksum"
else
	not_ok "a wrong checksum" got
fi
tm-dump locked.zip >got 2>err
if [ "$(grep -c '^totals' got)" = 1 ] && grep -q 'note loss "member .locked.folded.: it is encrypted"' got; then
	ok "an encrypted member"
else
	not_ok "an encrypted member" got
fi
# By PKWARE's APPNOTE a zip file ends in its directory: the members' headers (PK 1 2), and a record of where they
# are (PK 5 6, 22 bytes and a comment). Python's zipfile, which reads by it alone, refuses each of these cuts, but for
# those of the file that has another one's directory within it, and takes that for its own. A member whose size
# stands behind it needs the bytes behind that.
bad=
for a in whole-*.zip; do
	tm-dump "$a" >got 2>err
	[ "$(grep -c '^sample' got)" = 3 ] && ! grep -q 'note loss' got && [ ! -s err ] || bad+=" $a"
done
if [ -z "$bad" ]; then ok "zip files with all of their directory"; else not_ok "zip files with all of their directory:$bad" got; fi
python3 - >places <<'END'
import zipfile
for name in ("plain", "pipe", "stored"):
    b = open("whole-%s.zip" % name, "rb").read()
    first, end = zipfile.ZipFile("whole-%s.zip" % name).start_dir, b.rindex(b"PK\5\6")
    for n in first + 8, first + 9, first + 46, end - 1, end, end + 1, len(b) - 1:
        print(name, n)
    for n in (first, first + 1) if name != "pipe" else ():
        print(name, n)
END
bad=
while read -r name n; do
	head -c "$n" "whole-$name.zip" >cut.zip
	[ "$name" = stored ] || ! python3 -c 'import zipfile; zipfile.ZipFile("cut.zip")' 2>/dev/null || bad+=" $name:$n:python"
	tm-dump cut.zip >got 2>err
	[ "$(grep -c '^sample' got)" = 3 ] && [ "$(grep -c '^note loss' got)" = 1 ] &&
		grep -q "^note loss \"the directory at the end of the zip file is missing or cut.* (at byte $n)" got || bad+=" $name:$n"
done <places
if [ -z "$bad" ] && [ "$(wc -l <places)" = 25 ]; then ok "a zip file cut in its directory"; else not_ok "a zip file cut in its directory:$bad" got; fi
head -c 150 whole-plain.zip >cut.zip
tm-dump cut.zip >got 2>err
if [ "$(grep -c '^sample' got)" -ge 1 ] && grep -q 'note loss "the directory .*(at byte 150); the rest was not read"' got; then
	ok "a zip file cut in its members"
else
	not_ok "a zip file cut in its members" got
fi
refused() { # ARCHIVE TEXT
	tm-dump "$1" >got 2>err
	if [ $? = 3 ] && [ ! -s got ] && grep -q "$2" err; then ok "$1 is refused"; else not_ok "$1 is refused" err; fi
}
refused none.zip 'a zip file without a file in it'
refused nothing.zip "without a capture: member 'README': unknown capture format"
refused short.7z 'the directory of the 7z file is missing: cut short, or the first of several parts?'
# In parts: GNU tar's volumes of 100 KiB, of which the second goes on with the file of the first; 7-Zip's.
printf 'n two.tar\nn three.tar\nn four.tar\nn five.tar\n' | tar -M -L 100 -cf one.tar of/many.folded of/one.folded >made 2>&1
refused two.tar 'a later volume of a tar file: unpack it with those before it'
tm-dump one.tar >got 2>err
if [ "$(grep -c '^note loss' got)" -ge 1 ] && [ "$(grep -c '^sample' got)" -gt 1000 ]; then ok "the first volume of a tar file"; else not_ok "the first volume" got; fi
head -c 200 run.7z >parts.7z.001 && tail -c +201 run.7z >parts.7z.002
refused parts.7z.001 'cut short, or the first of several parts?'
refused parts.7z.002 'a part of an archive, by its name: put the parts together: cat FILE.0\* >FILE'
cat parts.7z.001 parts.7z.002 >joined.7z
tm-dump joined.7z >got 2>err
if [ "$(grep -c '^totals' got)" = 5 ] && tm-dump run.7z | cmp - got; then ok "parts of a 7z file put together"; else not_ok "parts of a 7z file put together" err; fi
[ -z "${SAN-}" ] || echo "skip - the rest in 1 GB of memory (a sanitizer's shadow has no room in it)"
little() {
	[ -n "${SAN-}" ] || ulimit -v 1000000
}
for f in plain packed; do
	(
		little
		refused $f.7z 'has 12375013 bytes; at most 262144 are read'
	)
done

# --- a bomb: 1 GiB of zeros that no reader takes, then captures ---
(
	little
	exec tm-dump --no-tables bomb.zip
) 2>err | awk '/^sample/ { n[$2 FS $3]++ } /^note info "member .zeros./ { z++ } END { for (k in n) print k, n[k]; print z }' | sort >got
# 64 pieces of 87,381 lines of one stack
printf '1\ncount=5592384 stack=2 1\ncount=7 stack=2 1\n' >want
if cmp got want; then ok "a bomb is read as it is unpacked"; else not_ok "a bomb" got; fi

# --- damage that only a checksum shows: the last byte of gzip's CRC-32, and of its size (RFC 1952, 2.3.1); one bit of
# each eighth byte of the stream; the second of two members. gzip -t is asked whether it sees the same. ---
python3 - <<'P'
import gzip
whole = open("two.folded.gz", "rb").read()
two = whole + gzip.compress(b"main;other 5\n", mtime=0)
def flip(name, data, at):
    data = bytearray(data)
    data[at] ^= 1
    open(name, "wb").write(data)
flip("flip-crc.gz", whole, -5)
flip("flip-size.gz", whole, -1)
flip("flip-second.gz", two, -5)
open("flip-none.gz", "wb").write(two)
for at in range(10, len(whole) - 8, 8):
    flip("flip-%d.gz" % at, whole, at)
P
bad=0 tried=0 damaged=0
for f in flip-*.gz; do
	sound=0 said=0
	gzip -t "$f" 2>/dev/null && sound=1
	tm-dump "$f" 2>&1 | grep -q 'compressed data:\|unknown capture' || said=1
	tried=$((tried + 1)) damaged=$((damaged + 1 - sound))
	[ $sound = $said ] || { bad=$((bad + 1)) && echo "$f: gzip -t $sound, tm-dump $said" >>flips; }
done
if [ $bad = 0 ] && [ $damaged -ge 3 ] && [ $damaged -lt $tried ]; then ok "checksums of gzip ($tried)"; else not_ok "checksums of gzip" flips; fi

# --- cut at many bytes, and read by name ---
bad=0 tried=0
for a in deflated.zip run.tar.gz run.7z run.tar; do
	size=$(stat -c %s $a) step=29
	[ "$size" -lt 10000 ] || step=97
	for ((n = 1; n < size; n += step)); do
		head -c $n $a >short
		tm-dump -q short >short.out 2>short.err
		status=$?
		tried=$((tried + 1))
		# fine, or input that cannot be used; never a signal
		[ $status = 0 ] || [ $status = 3 ] || { bad=$((bad + 1)) && echo "$a $n: $status" >>cuts; }
		[ $status = 0 ] || [ -s short.err ] || { bad=$((bad + 1)) && echo "$a $n: no reason" >>cuts; }
	done
done
if [ $bad = 0 ] && [ $tried -gt 100 ]; then ok "cuts ($tried)"; else not_ok "cuts" cuts; fi
if tm-dump -f folded odd.zip 2>&1 | grep -q '^attribute member='; then ok "by name"; else not_ok "by name"; fi
