#!/bin/sh
# A replicated PostgreSQL on one machine, to try a failover: etcd, two Patroni nodes, HAProxy, all from Debian:
#   apt-get install postgresql patroni etcd-server haproxy
#   deploy/ha/cluster.sh start FOLDER     prints DATABASE_URL and DATABASE_READ_URL
#   deploy/ha/cluster.sh kill FOLDER NODE a power failure of node1 or node2
#   deploy/ha/cluster.sh node FOLDER NODE starts it again
#   deploy/ha/cluster.sh stop FOLDER
# Run it as root: PostgreSQL runs as the user "postgres". BASE_PORT (25000) and the nine ports after it must be free.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
command=${1:?"usage: cluster.sh start|stop FOLDER, kill|node FOLDER NODE"}
folder=${2:?a folder is needed}
base=${BASE_PORT:-25000}
host=127.0.0.1
etcd_port=$base; peer_port=$((base + 1)); primary_port=$((base + 2)); standby_port=$((base + 3))
port_of() { echo $((base + 2 + 2 * ${1#node})); }       # 25004, 25006
rest_of() { echo $((base + 3 + 2 * ${1#node})); }       # 25005, 25007

# A process in a session of its own, so that everything that it starts can be ended with it.
launch() {
  name=$1; shift
  setsid runuser -u postgres -- "$@" > "$folder/$name.log" 2>&1 &
  echo $! > "$folder/$name.pid"
}

configure_node() {
  sed -e "s|@NAME@|$1|; s|@HOST@|$host|g; s|@REST_PORT@|$(rest_of "$1")|g; s|@PORT@|$(port_of "$1")|g" \
    -e "s|@ETCD_HOSTS@|$host:$etcd_port|; s|@NETWORK@|$host/32|g; s|@DATA@|$folder/$1|; s|@PGPASS@|$folder/$1.pgpass|" \
    -e "s|@SOCKETS@|$folder|; s|@CAUSEWAY_PASSWORD@|$(cat "$folder/causeway.password")|" \
    -e "s|@SUPERUSER_PASSWORD@|$(cat "$folder/superuser.password")|" \
    -e "s|@REPLICATION_PASSWORD@|$(cat "$folder/replication.password")|" \
    -e "s|@REWIND_PASSWORD@|$(cat "$folder/rewind.password")|" \
    "$here/patroni.yml" > "$folder/$1.yml"
  chown postgres "$folder/$1.yml"; chmod 600 "$folder/$1.yml"
}

kill_group() {
  if [ -f "$folder/$1.pid" ]; then kill -s KILL -- "-$(cat "$folder/$1.pid")" 2> /dev/null || true; fi
}

# Patroni first, else it would start PostgreSQL again. Every backend has a session of its own.
kill_node() {
  kill_group "$1"
  if [ -f "$folder/$1/postmaster.pid" ]; then
    server=$(head -1 "$folder/$1/postmaster.pid")
    kill -s KILL "$server" $(ps -o pid= --ppid "$server") 2> /dev/null || true
  fi
}

answers() { curl -s -o /dev/null -w '%{http_code}' "http://$host:$(rest_of "$1")/$2" | grep -q 200; }

wait_for() {
  for _ in $(seq 240); do if answers "$1" "$2"; then return; fi; sleep 0.5; done
  echo "$1 is no $2 after two minutes; see $folder/$1.log" >&2; exit 1
}

url() { echo "postgres://causeway:$(cat "$folder/causeway.password")@$host:$1/causeway"; }

case $command in
  start)
    mkdir -p "$folder"; chown postgres "$folder"; chmod 700 "$folder"
    for user in causeway superuser replication rewind; do openssl rand -hex 16 > "$folder/$user.password"; done
    launch etcd etcd --data-dir "$folder/etcd" --listen-client-urls "http://$host:$etcd_port" \
      --advertise-client-urls "http://$host:$etcd_port" --listen-peer-urls "http://$host:$peer_port" \
      --initial-advertise-peer-urls "http://$host:$peer_port" --initial-cluster "default=http://$host:$peer_port"
    configure_node node1; launch node1 patroni "$folder/node1.yml"; wait_for node1 primary
    configure_node node2; launch node2 patroni "$folder/node2.yml"; wait_for node2 replica
    wait_for node2 synchronous
    sed -e "s|@HAPROXY_HOST@|$host|g; s|@PRIMARY_PORT@|$primary_port|g; s|@STANDBY_PORT@|$standby_port|g" \
      -e "s|@NODE1@|$host:$(port_of node1)|g; s|@REST1@|$(rest_of node1)|g" \
      -e "s|@NODE2@|$host:$(port_of node2)|g; s|@REST2@|$(rest_of node2)|g" "$here/haproxy.cfg" > "$folder/haproxy.cfg"
    launch haproxy haproxy -f "$folder/haproxy.cfg"
    PGPASSWORD=$(cat "$folder/superuser.password") psql -qh $host -p "$(port_of node1)" -U postgres -c 'create database causeway owner causeway'
    echo "DATABASE_URL=$(url $primary_port)"
    echo "DATABASE_READ_URL=$(url $standby_port)"
    ;;
  kill) kill_node "${3:?a node is needed}" ;;
  node) launch "${3:?a node is needed}" patroni "$folder/$3.yml" ;;
  stop)
    for name in node2 node1; do kill_node $name; done
    for name in haproxy etcd; do kill_group $name; done
    ;;
  *) echo "unknown command: $command" >&2; exit 1 ;;
esac
