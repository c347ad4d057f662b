#!/bin/bash
# SPDX-License-Identifier: MIT
#
# shellcheck disable=SC2030,SC2031,SC2317 # PATH is of one subshell; functions are called by check
#
# fleet/slurm: an array job and a merge job that waits for it, on Debian's slurmctld with three
# slurmd on this machine; a task that is killed, and a node that fails, change nothing.
set -u
# shellcheck source=tests/fleet/fleet.bash
. "$SRC/tests/fleet/fleet.bash"

for p in slurmctld slurmd sbatch munged; do
	PATH=$PATH:/usr/sbin command -v $p >/dev/null || skip "no $p"
done
PATH=$PATH:/usr/sbin
captures 6
alone

host=$(hostname -s)
me=$(id -un)
port=$(free_port 26817)
(umask 077 && head -c 1024 /dev/urandom >munge.key)
mkdir state
cat >slurm.conf <<X
ClusterName=fleet
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$PWD/munge.socket,cred_expire=5
CredType=cred/munge
SlurmUser=$me
SlurmdUser=$me
StateSaveLocation=$PWD/state
SlurmdSpoolDir=$PWD/spool.%n
SlurmctldPidFile=$PWD/slurmctld.pid
SlurmdPidFile=$PWD/slurmd.%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SlurmdTimeout=8
KillWait=2
JobRequeue=1
SchedulerParameters=batch_sched_delay=0,sched_interval=2,sched_min_interval=100000
SlurmdParameters=config_overrides
NodeName=w[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1 RealMemory=100
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=INFINITE
X
export SLURM_CONF=$PWD/slurm.conf
daemon munged.log munged --force --foreground --key-file="$PWD/munge.key" \
	--socket="$PWD/munge.socket" --pid-file="$PWD/munged.pid" --log-file="$PWD/munged.own" \
	--seed-file="$PWD/munge.seed"
until_true 10 test -S munge.socket
daemon slurmctld.log slurmctld -D -f "$SLURM_CONF"
for node in w1 w2 w3; do
	daemon slurmd.$node.log slurmd -D -f "$SLURM_CONF" -N $node
	[ $node != w2 ] || second=${daemons[-1]}
done
idle() { [ "$(sinfo -h -t idle -o %D)" = 3 ]; }
check "slurmctld, and three slurmd on one machine" until_true 60 idle

export FLEET_TASKS=3
"$SRC/fleet/slurm" list night.tma --wait >ids 2>err
check "an array job, and a merge job that waits for it" [ $? = 0 ]
check "... the same bytes as one machine's" cmp alone.tma night.tma
done_by_tasks() { cat slurm-*_*.out | grep -c '\.tma$'; }
check "... each task did its part" [ "$(done_by_tasks)" = 6 ]

# --- a worker is killed: its task is lost, and the merge job makes what is missing ---
rm -rf out slurm-*.out
hang_once "$PWD/c3.tmt" "$PWD/slow"
(
	PATH=$PWD/slow:$PATH
	exec "$SRC/fleet/slurm" list killed.tma --wait >ids 2>err
) &
job=$!
check "a worker hangs, and is killed" kill_worker slow
wait $job
check "the merge job makes what is missing" [ $? = 0 ]
check "... the same bytes" cmp alone.tma killed.tma
check "... the array did not: $(done_by_tasks) of 6" [ "$(done_by_tasks)" -lt 6 ]

# --- a node fails: Slurm puts its task into the queue again ---
rm -rf out slurm-*.out slow/once slow/pid
(
	PATH=$PWD/slow:$PATH
	exec "$SRC/fleet/slurm" list failed.tma --wait --nodelist=w2 >ids 2>err
) &
job=$!
until_true 60 test -s slow/pid
# The process that would have reported the end of the task goes first.
step=$(cat slow/pid)
while [ "$(ps -o comm= -p "$step")" != slurmstepd ] && [ "$step" -gt 1 ]; do
	step=$(ps -o ppid= -p "$step" | tr -d ' ')
done
[ "$step" -le 1 ] || kill -9 "$second" "$step" 2>/dev/null
children "$(cat slow/pid)" | xargs kill -9 "$(cat slow/pid)" 2>/dev/null
down() { [ "$(sinfo -h -n w2 -t down -o %D)" = 1 ]; }
check "a node fails" until_true 60 down
daemon slurmd.w2.again.log slurmd -D -f "$SLURM_CONF" -N w2
wait $job
check "its task is run again when the node is back" [ $? = 0 ]
check "... the same bytes" cmp alone.tma failed.tma
requeued() { scontrol show job | grep -Eq 'Requeue=1 Restarts=[1-9]'; }
check "... by Slurm itself" requeued
exit "$failed"
