# shellcheck shell=bash
# The server as a person would start it, with a data directory of its own, for the clients and the browser.

SERVER=$WORK/bindery
SERVER_HOME=$WORK/server
SERVER_TOKEN=bnd_test_$(random_hex 24)

start_server() { # URL
  local url=$1
  mkdir "$SERVER_HOME"
  cd "$SERVER_HOME" || return
  BINDERY_LISTEN=${url#http://} BINDERY_DATA_DIR=$SERVER_HOME/data BINDERY_ADMIN_TOKEN=$SERVER_TOKEN \
    "$SERVER" serve >"$SERVER_HOME/log" 2>&1 </dev/null &
  echo $! >"$SERVER_HOME/pid"
  wait_until_ready "$url" || { cat "$SERVER_HOME/log"; return 1; }
  printf 'ready at %s\n' "$url"
}

wait_until_ready() { # URL
  local deadline=$((SECONDS + 20))
  until curl -fsS -o "$WORK/ready" "$1/readyz" 2>"$WORK/ready.error"; do
    kill -0 "$(<"$SERVER_HOME/pid")" 2>/dev/null || return 1
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

stop_server() {
  local pid
  [[ -f $SERVER_HOME/pid ]] || return 0
  pid=$(<"$SERVER_HOME/pid")
  kill "$pid" 2>/dev/null || return 0
  # It is not a child of this shell, which therefore cannot wait for it.
  timeout 10 tail --pid "$pid" -f /dev/null || kill -KILL "$pid"
}
