#!/bin/bash
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2030,SC2031 # PATH is of one subshell
#
# fleet/parallel: GNU parallel on this machine, and over an sshd on loopback; a worker that is killed
# is run again, and nothing changes.
set -u
# shellcheck source=tests/fleet/fleet.bash
. "$SRC/tests/fleet/fleet.bash"

command -v parallel >/dev/null || skip "no GNU parallel"
captures 6
alone
check "one machine's result" [ -s alone.tma ]

"$SRC/fleet/parallel" list night.tma -j 2 2>err
check "GNU parallel, two workers" [ $? = 0 ]
check "... the same bytes" cmp alone.tma night.tma

# --- a worker is killed ---
rm -rf out night.tma
hang_once "$PWD/c3.tmt" "$PWD/slow"
(
	PATH=$PWD/slow:$PATH
	exec "$SRC/fleet/parallel" list night.tma -j 2 2>killed.err
) &
job=$!
check "a worker hangs, and is killed" kill_worker slow
wait $job
check "GNU parallel runs it again" [ $? = 0 ]
check "... the same bytes" cmp alone.tma night.tma
check "... every capture once" [ "$(tm-dump night.tma | grep -c '^input.* times=1 ')" = 6 ]
check "nothing half done is left as an aggregate" [ "$(find out -name '*.tma' | wc -l)" = 6 ]
before=$(stat -c %Y.%i out/*.tma)
"$SRC/fleet/parallel" list again.tma -j 2 2>err
check "again: nothing is made anew" [ "$before" = "$(stat -c %Y.%i out/*.tma)" ]
check "... the same bytes" cmp alone.tma again.tma

# --- a capture that is bad ---
head -c 30 c1.tmt >bad.tmt
(cat list && echo "$PWD/bad.tmt") >worse
"$SRC/fleet/parallel" worse worse.tma -j 2 2>err
check "a bad capture: status 3, it is named, no result" [ $? = 3 -a ! -e worse.tma ]
check "... by name" grep -q "bad.tmt" err

# --- over SSH ---
[ -x /usr/sbin/sshd ] || skip "no sshd"
mkdir -p ssh
ssh-keygen -q -t ed25519 -N '' -f ssh/host
ssh-keygen -q -t ed25519 -N '' -f ssh/user
cp ssh/user.pub ssh/authorized
port=$(free_port 22622)
cat >ssh/sshd.conf <<X
ListenAddress 127.0.0.1
Port $port
HostKey $PWD/ssh/host
PidFile $PWD/ssh/sshd.pid
AuthorizedKeysFile $PWD/ssh/authorized
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
PermitRootLogin yes
StrictModes no
AcceptEnv *
X
cat >ssh/config <<X
Host node-*
	HostName 127.0.0.1
	Port $port
	User $(id -un)
	IdentityFile $PWD/ssh/user
	IdentitiesOnly yes
	StrictHostKeyChecking accept-new
	UserKnownHostsFile $PWD/ssh/known
	LogLevel ERROR
X
chmod 600 ssh/host ssh/user ssh/authorized
[ -d /run/sshd ] || mkdir -p /run/sshd 2>/dev/null
daemon ssh/sshd.log /usr/sbin/sshd -D -e -f "$PWD/ssh/sshd.conf"
check "sshd answers on loopback" until_true 20 ssh -F ssh/config node-a true
printf '2/node-a\n1/node-b\n' >nodes
ssh="ssh -F $PWD/ssh/config"
rm -rf out
"$SRC/fleet/parallel" list ssh.tma --ssh "$ssh" --sshloginfile nodes 2>err
check "GNU parallel over SSH, two nodes" [ $? = 0 ]
check "... the same bytes" cmp alone.tma ssh.tma
check "... both nodes worked" [ "$(awk 'NR > 1 { print $2 }' ssh.tma.joblog | sort -u | wc -l)" = 2 ]
rm -rf out slow/once slow/pid
(
	PATH=$PWD/slow:$PATH
	exec "$SRC/fleet/parallel" list ssh2.tma --ssh "$ssh" --sshloginfile nodes 2>err
) &
job=$!
check "a worker on a node is killed" kill_worker slow
wait $job
check "... and run again" [ $? = 0 ]
check "... the same bytes" cmp alone.tma ssh2.tma
exit "$failed"
