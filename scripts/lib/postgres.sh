# shellcheck shell=bash
# A PostgreSQL of this run: a new data directory, a free port of 127.0.0.1, a password. It does not wait for the disk:
# tests kill the server that uses it, and never PostgreSQL itself.

# In memory where there is enough: each test has a database of its own, and making its hundreds of files takes a disk a tenth of the run.
postgres_home() {
  local free
  free=$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1 || true)
  if ((${free:-0} > 4 * 1024 * 1024)); then
    mktemp -d /dev/shm/bindery-postgres.XXXXXX
  else
    mktemp -d "$WORK/postgres.XXXXXX"
  fi
}
POSTGRES_HOME=$(postgres_home)

# The directory of PostgreSQL's server programs; Debian keeps them out of PATH.
postgres_bin() {
  local initdb
  initdb=$(compgen -G '/usr/lib/postgresql/*/bin/initdb' | sort -V | tail -n 1) ||
    initdb=$(command -v initdb) || return
  dirname "$initdb"
}

# PostgreSQL refuses to run as root, and needs a working directory that it may enter.
as_postgres() (
  cd /
  if ((EUID == 0)); then runuser -u postgres -- "$@"; else "$@"; fi
)

start_postgres() {
  local bin port password
  bin=$(postgres_bin)
  port=$(free_port)
  password=$(random_hex 16)
  chmod 700 "$POSTGRES_HOME"
  printf '%s\n' "$password" >"$POSTGRES_HOME/password"
  ((EUID != 0)) || chown -R postgres "$POSTGRES_HOME"
  # The password goes over the loopback alone, and each test connects several times: hashing it thousands of times, as
  # clients do for scram-sha-256, takes a client without optimization longer than most tests.
  as_postgres "$bin/initdb" -D "$POSTGRES_HOME/data" -U bindery -E UTF8 --locale=C.UTF-8 \
    --auth=password --pwfile="$POSTGRES_HOME/password" >"$WORK/initdb.log"
  as_postgres "$bin/pg_ctl" start -s -w -D "$POSTGRES_HOME/data" -l "$POSTGRES_HOME/log" \
    -o "-c listen_addresses=127.0.0.1 -c port=$port -c unix_socket_directories= -c max_connections=300 -c fsync=off -c full_page_writes=off"
  export BINDERY_TEST_POSTGRES_URL="postgres://bindery:$password@127.0.0.1:$port/postgres"
}

# Prints the address of a new database.
create_database() { # NAME
  "$(postgres_bin)/createdb" --maintenance-db="$BINDERY_TEST_POSTGRES_URL" "$1"
  printf '%s/%s\n' "${BINDERY_TEST_POSTGRES_URL%/*}" "$1"
}

stop_postgres() {
  [[ ! -f $POSTGRES_HOME/data/postmaster.pid ]] ||
    as_postgres "$(postgres_bin)/pg_ctl" stop -s -m immediate -D "$POSTGRES_HOME/data"
  rm -rf "$POSTGRES_HOME"
}
