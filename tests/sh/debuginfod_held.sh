#!/bin/bash
# SPDX-License-Identifier: MIT
#
# The process that asks debuginfod servers reads what names of servers and TLS need, and no file of a user. A
# library in the place of libdebuginfod tries to open files and says what came of it; then files come over HTTPS
# from a server whose certificate is the only one that is trusted, where this machine lets a test do that.
# shellcheck disable=SC2317
set -u
: "${SRC:?}" "${BIN:?}"

# shellcheck source=tests/check.bash
. "$SRC/tests/check.bash"
for tool in gcc objcopy strip readelf nm; do
	if ! command -v $tool >/dev/null 2>&1; then
		echo "skip - what asks debuginfod servers (no $tool)"
		exit 0
	fi
done
unset DEBUGINFOD_URLS TRACEMILL_DEBUGINFOD_URLS
export HOME=$PWD/home TMPDIR=$PWD/tmp http_proxy='' no_proxy='*'
mkdir -p home/.ssh tmp lib cache served
echo secret >home/.ssh/id
echo 'int play(int n) { return n + 1; } int main(int argc, char **argv) { (void)argv; return play(argc); }' >game.c
gcc -g -O0 -Wl,--build-id=sha1 game.c -o full || exit 1
strip -o game full
address=0x$(nm full | awk '/ play$/ { print $1 }')

cat >lib.c <<'X'
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
typedef struct debuginfod_client debuginfod_client;
static void *data;
debuginfod_client *debuginfod_begin(void) { return (void *)&data; }
void debuginfod_end(debuginfod_client *c) { (void)c; }
void debuginfod_set_user_data(debuginfod_client *c, void *d) { (void)c; data = d; }
void *debuginfod_get_user_data(debuginfod_client *c) { (void)c; return data; }
void debuginfod_set_progressfn(debuginfod_client *c, int (*f)(debuginfod_client *, long, long)) { (void)c; (void)f; }
/* "Numerical result out of range": it was opened; else why not. */
static int look(void)
{
	int fd = open(getenv("OPENED"), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return -ERANGE;
}
int debuginfod_find_debuginfo(debuginfod_client *c, const unsigned char *i, int n, char **p) { (void)c; (void)i; (void)n; (void)p; return look(); }
int debuginfod_find_executable(debuginfod_client *c, const unsigned char *i, int n, char **p) { (void)c; (void)i; (void)n; (void)p; return look(); }
X
gcc -shared -fPIC -Wl,-soname,libdebuginfod.so.1 -o lib/libdebuginfod.so.1 lib.c 2>err || exit 1
opens() { # FILE: what the process that asks is told
	rm -rf cache
	OPENED=$1 LD_LIBRARY_PATH=$PWD/lib tm-addr2line --cache cache --lenient -e game --debuginfod=http://127.0.0.1:1 "$address" 2>&1 |
		grep -o 'Permission denied\|Numerical result out of range\|No such file.*' | head -1
}
if ! tm-addr2line --verbose --no-cache -e full "$address" 2>&1 | grep -q 'Landlock ABI'; then
	echo 'skip - paths are not held here (no Landlock)'
	exit 0
fi
for file in "$HOME/.ssh/id" "$PWD/game" "$PWD/game.c" /proc/self/environ /proc/1/status /etc/passwd; do
	check "not ${file/#$PWD/.}" [ "$(opens "$file")" = 'Permission denied' ]
done
for file in /etc/hosts /etc/resolv.conf /etc/nsswitch.conf /etc/ssl/certs "$PWD/lib/libdebuginfod.so.1"; do
	[ ! -e "$file" ] || check "but ${file/#$PWD/.}" [ "$(opens "$file")" = 'Numerical result out of range' ]
done
check 'and a file of certificates that a variable names' \
	[ "$(SSL_CERT_FILE=$PWD/game.c opens "$PWD/game.c")" = 'Numerical result out of range' ]
check 'and headers that one names' \
	[ "$(DEBUGINFOD_HEADERS_FILE=$PWD/game.c opens "$PWD/game.c")" = 'Numerical result out of range' ]

# HTTPS. No server may be trusted but this one, so that what is trusted has been read inside.
skip() { echo "skip - a file over HTTPS ($1)"; exit $failed; }
command -v openssl >/dev/null || skip 'no openssl'
[ -d /etc/ssl/certs ] || skip 'no /etc/ssl/certs'
ldconfig -p 2>err | grep -q 'libdebuginfod\.so\.1' || skip 'no libdebuginfod'
unshare -m sh -c "mount --bind '$PWD/lib' /etc/ssl/certs" 2>err || skip 'no mount of its own'
mkdir certs
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=localhost \
	-addext 'subjectAltName=IP:127.0.0.1' >out 2>err || skip 'openssl makes no certificate'
cp cert.pem "certs/$(openssl x509 -hash -noout -in cert.pem).0"
cp cert.pem certs/ca-certificates.crt
folder=served/buildid/$(readelf -n full | sed -n 's/.*Build ID: //p')
mkdir -p "$folder"
objcopy --only-keep-debug full "$folder/debuginfo"
port=$((20000 + $$ % 20000))
(cd served && exec openssl s_server -accept $port -cert ../cert.pem -key ../key.pem -WWW </dev/zero >../server.log 2>&1) &
server=$!
trap 'kill $server 2>/dev/null' EXIT
for ((i = 0; i < 100; i++)); do
	(echo >/dev/tcp/127.0.0.1/$port) 2>/dev/null && break
	sleep 0.1
done
ask() { # FOLDER of certificates
	rm -rf cache
	unshare -m sh -c "mount --bind '$1' /etc/ssl/certs && exec tm-addr2line --cache cache --lenient -e game \
		--debuginfod=https://127.0.0.1:$port $address" 2>err
}
check 'over HTTPS the debug file comes' eval 'ask "$PWD/certs" | grep -q "game.c:1\$"'
mkdir none
check 'but not from a server that nobody trusts' eval '! ask "$PWD/none" | grep -q game.c'
exit $failed
