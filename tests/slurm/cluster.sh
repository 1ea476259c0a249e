#!/bin/bash
# cluster.sh start FOLDER | stop FOLDER | kill FOLDER NODE | revive FOLDER NODE
#
# A Slurm cluster on this machine, to test with: munged, slurmctld, and slurmd
# for the nodes n1 to n3 with one processor each, all of this user, without
# cgroups, its state, keys and logs in FOLDER. `kill` ends a node and what runs
# on it as a power failure would; `revive` starts it again.
# Whoever talks to it sets SLURM_CONF=FOLDER/slurm.conf.
set -eu
nodes='n1 n2 n3'
PATH=$PATH:/usr/sbin:/sbin

# The process and all that it started, whatever their groups are.
end_tree() { # PID
    local child
    for child in $(pgrep -P "$1"); do
        end_tree "$child"
    done
    kill -KILL "$1" 2>/dev/null || true
}

# A free port and those behind it: nobody listens there now.
free_ports() { # HOW_MANY
    local port=$((20000 + RANDOM % 30000)) p
    for ((p = port; p < port + $1; p++)); do
        ! (: <"/dev/tcp/127.0.0.1/$p") 2>/dev/null || {
            free_ports "$1"
            return
        }
    done
    echo "$port"
}

write_conf() { # FOLDER
    local port
    port=$(free_ports 4)
    cat >"$1/slurm.conf" <<END
ClusterName=streams
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$1/munge.socket
CredType=cred/munge
StateSaveLocation=$1/state
SlurmdSpoolDir=$1/spool/%n
SlurmctldPidFile=$1/slurmctld.pid
SlurmdPidFile=$1/slurmd-%n.pid
SlurmctldLogFile=$1/slurmctld.log
SlurmdLogFile=$1/slurmd-%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# A node that is gone is known to be after some seconds, not minutes; and so is
# what a node no longer runs that has come back before that.
SlurmdTimeout=10
BatchStartTimeout=1
KillWait=2
ReturnToService=2
MaxArraySize=100001
NodeName=n[1-3] NodeHostname=$(hostname -s) NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 3))] CPUs=1
PartitionName=lab Nodes=n[1-3] Default=YES MaxTime=60 State=UP
END
}

start_node() { # FOLDER NODE
    mkdir -p "$1/spool/$2"
    slurmd -N "$2"
}

# A step's keeper is no child of slurmd; the script that it runs is the node's.
kill_node() { # FOLDER NODE
    local pid
    [ ! -f "$1/slurmd-$2.pid" ] || end_tree "$(cat "$1/slurmd-$2.pid")"
    for pid in $(pgrep -f "^[^ ]* $1/spool/$2/"); do
        end_tree "$(ps -o ppid= -p "$pid" | tr -d ' ')"
    done
    rm -f "$1/slurmd-$2.pid"
}

action=$1 folder=$(realpath -m "$2")
export SLURM_CONF=$folder/slurm.conf
case $action in
start)
    for tool in munged slurmctld slurmd; do
        command -v $tool >/dev/null || {
            echo "cluster.sh: no $tool: sudo apt-get install slurm-wlm munge" >&2
            exit 2
        }
    done
    mkdir -p "$folder/state"
    chmod 755 "$folder" # munged trusts no socket in a folder of many writers
    (umask 077 && head -c 1024 /dev/urandom >"$folder/munge.key")
    munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
        --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" \
        --seed-file="$folder/munged.seed" --force 2>/dev/null
    write_conf "$folder"
    slurmctld
    for node in $nodes; do
        start_node "$folder" "$node"
    done
    for _ in {1..300}; do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null)" != 3 ] || exit 0
        sleep 0.1
    done
    echo "cluster.sh: the nodes do not come up: see $folder" >&2
    exit 1
    ;;
stop)
    for node in $nodes; do
        kill_node "$folder" "$node"
    done
    for pid in "$folder"/slurmctld.pid "$folder"/munged.pid; do
        [ ! -f "$pid" ] || end_tree "$(cat "$pid")"
    done
    ;;
kill) kill_node "$folder" "$3" ;;
revive) start_node "$folder" "$3" ;;
*)
    echo "usage: cluster.sh start|stop|kill|revive FOLDER [NODE]" >&2
    exit 2
    ;;
esac
