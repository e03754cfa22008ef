# shellcheck shell=bash
# The server as a person would start it, with a data directory of its own, for the clients and the browser.

SERVER=$WORK/bindery
SERVER_TOKEN=bnd_test_$(random_hex 24)

start_server() { # URL HOME [DATABASE_URL]
  local url=$1 home=$2
  mkdir "$home"
  cd "$home" || return
  BINDERY_LISTEN=${url#http://} BINDERY_DATA_DIR=$home/data BINDERY_DATABASE_URL=${3-} BINDERY_ADMIN_TOKEN=$SERVER_TOKEN \
    "$SERVER" serve >"$home/log" 2>&1 </dev/null &
  echo $! >"$home/pid"
  wait_until_ready "$url" "$home" || { cat "$home/log"; return 1; }
  printf 'ready at %s\n' "$url"
}

wait_until_ready() { # URL HOME
  local deadline=$((SECONDS + 20))
  until curl -fsS -o "$2/ready" "$1/readyz" 2>"$2/ready.error"; do
    kill -0 "$(<"$2/pid")" 2>/dev/null || return 1
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

stop_server() { # HOME
  local pid
  [[ -f $1/pid ]] || return 0
  pid=$(<"$1/pid")
  kill "$pid" 2>/dev/null || return 0
  # It is not a child of this shell, which therefore cannot wait for it.
  timeout 10 tail --pid "$pid" -f /dev/null || kill -KILL "$pid"
}
