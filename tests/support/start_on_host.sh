#!/bin/sh
# What Open MPI runs in place of ssh: start_on_host.sh HOST COMMAND... (hosts.py).
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c 'hostname "$0" && exec sh -c "$1"' "$host" "$*"
