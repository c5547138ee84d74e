#!/bin/bash
# The recipe of docs/fleets.md for Slurm, run by hand as root: tests/fleet/slurm.sh ONNXLS FOLDER
# A cluster of two nodes on this machine (Debian: slurm-wlm, munge). One node is killed with all that runs on it; what comes out
# has to be what one run says.
set -eu
onnxls=$(readlink -f "$1")
folder=$(readlink -f "$2")
work=$(mktemp -d)
cd "$work"
mkdir part pids state
export SLURM_CONF=$work/slurm.conf XDG_CACHE_HOME=$work onnxls folder work

stop() {
  for file in slurmd-one.pid slurmd-two.pid slurmctld.pid munged.pid; do
    [ ! -s "$work/$file" ] || kill "$(cat "$work/$file")" 2>/dev/null || true
  done
  sleep 1
  rm -rf "$work"
}
trap stop EXIT

start() {
  head -c 1024 /dev/urandom >munge.key
  chmod 600 munge.key
  chmod 711 "$work"
  munged --force --key-file "$work/munge.key" --socket "$work/munge" --pid-file "$work/munged.pid" \
    --log-file "$work/munged.log" --seed-file "$work/munge.seed"
  local host
  host=$(hostname -s)
  cat >slurm.conf <<CONF
ClusterName=onnxls
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool-%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd-%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd-%n.log
SlurmctldPort=16817
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdTimeout=10
JobRequeue=1
NodeName=one NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1
NodeName=two NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1
PartitionName=all Nodes=one,two Default=YES State=UP
CONF
  slurmctld
  sleep 2
  slurmd -N one
  slurmd -N two
}

# Waits until the command says yes, for five minutes at most.
await() {
  for _ in $(seq 300); do
    ! "$@" || return 0
    sleep 1
  done
  echo "slurm: waited in vain for: $*" >&2
  tail -n 20 "$work"/slurm*.log >&2
  return 1
}

runs_on_two() { compgen -G "$work/pids/two.*" >/dev/null; }
is_idle() { [ "$(sinfo --noheader --format=%T --states=idle | wc -l)" -gt 0 ]; }
is_done() { [ -z "$(squeue --noheader)" ]; }

# The daemon, the step that it began, and the script with all that it runs.
kill_two() {
  kill -9 "$(cat slurmd-two.pid)"
  rm slurmd-two.pid
  local script step
  for file in pids/two.*; do
    read -r script step <"$file"
    kill -9 "$step" 2>/dev/null || true
    kill -9 -- "-$script" 2>/dev/null || kill -9 "$script" 2>/dev/null || true
  done
}

cat >job.sh <<'JOB'
#!/bin/bash
echo $$ $PPID >"$work/pids/$SLURMD_NODENAME.$SLURM_ARRAY_TASK_ID"
sleep 3  # So that there is somebody to kill.
draft=$work/part/$SLURM_ARRAY_TASK_ID.${SLURM_RESTART_COUNT:-0}
"$onnxls" check --no-cache "$folder" --shard "$SLURM_ARRAY_TASK_ID/8" --format jsonl >"$draft" 2>/dev/null
[ $? -le 2 ] && mv "$draft" "$work/part/$SLURM_ARRAY_TASK_ID.jsonl"
JOB

start
await is_idle
sbatch --quiet --requeue --array=1-8 --ntasks=1 --output=/dev/null job.sh
await runs_on_two
kill_two
killed=$(ls pids | grep -c '^two')
await is_done
"$onnxls" merge part/*.jsonl >merged.jsonl || [ $? -eq 1 ]
"$onnxls" check --no-cache "$folder" --format jsonl >single.jsonl 2>/dev/null || true
"$onnxls" merge single.jsonl >whole.jsonl || [ $? -eq 1 ]
cmp whole.jsonl merged.jsonl
echo "slurm: $(grep -c '"status"' merged.jsonl) files in 8 parts on two nodes, one killed with $killed part(s): as in one run"
