# shellcheck shell=bash
# Steps with headings, times and counts. A step that fails does not stop the ones that follow, but the run.

step_names=()
step_results=()
counts_file=$WORK/counts failures_file=$WORK/failures
: >"$counts_file"
: >"$failures_file"

# step NAME COMMAND…: runs the command in a shell of its own, in which the first failure ends the step.
# Never call it behind `if` or `&&`: there bash would go on after a failure.
step() {
  local name=$1 started=$SECONDS status
  shift
  printf '\n=== %s\n' "$name"
  set +e
  (set -e; "$@")
  status=$?
  set -e
  record_step "$name" "$status" $((SECONDS - started))
}

# begin NAME COMMAND…: starts a step beside those that follow. `finish` waits for all that were begun, and shows what they said.
begun_names=() begun_times=() begun_processes=()
begin() {
  local log=$WORK/begun-${#begun_names[@]}.log
  begun_names+=("$1")
  begun_times+=("$SECONDS")
  shift
  (set -e; "$@") >"$log" 2>&1 &
  begun_processes+=("$!")
}

finish() {
  local i status
  for i in "${!begun_names[@]}"; do
    status=0
    printf '\n=== %s\n' "${begun_names[i]}"
    wait "${begun_processes[i]}" || status=$?
    cat "$WORK/begun-$i.log"
    record_step "${begun_names[i]}" "$status" $((SECONDS - begun_times[i]))
  done
}

record_step() {
  local name=$1 status=$2 seconds=$3 result=ok
  ((status == 0)) || result=FAILED
  step_names+=("$name")
  step_results+=("$result")
  printf -- '--- %s: %s after %d s\n' "$name" "$result" "$seconds"
}

# step_passed NAME: whether that step has run and nothing failed in it.
step_passed() {
  local i
  for i in "${!step_names[@]}"; do
    [[ ${step_names[i]} != "$1" || ${step_results[i]} != ok ]] || return 0
  done
  return 1
}

add_counts() { # PASSED FAILED
  printf '%d %d\n' "$1" "$2" >>"$counts_file"
}

# counted COMMAND…: runs a program that ends with the line `N passed, M failed`, and adds its counts.
counted() {
  local log status=0 closing
  log=$(mktemp "$WORK/counted.XXXXXX")
  "$@" 2>&1 | tee "$log" || status=$?
  closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1 || true)
  if [[ $closing =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
    add_counts "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"
    sed -n '/^FAILED/p' "$log" >>"$failures_file"
  else
    add_counts 0 1
    printf 'FAILED  %s, which ended without its counts\n' "${1##*/}" >>"$failures_file"
    status=1
  fi
  return "$status"
}

# The last lines of the run, and its exit status. Failures are named here once more, because the end of a log is what is read first.
summary() {
  local passed=0 failed=0 p f i status=0
  while read -r p f; do
    passed=$((passed + p))
    failed=$((failed + f))
  done <"$counts_file"
  printf '\n=== Summary after %d s\n' "$SECONDS"
  for i in "${!step_names[@]}"; do
    printf '%-8s%s\n' "${step_results[i]}" "${step_names[i]}"
    [[ ${step_results[i]} == ok ]] || status=1
  done
  ((failed == 0)) || status=1
  head -n 50 "$failures_file" | cut -c 1-500
  printf '%d passed, %d failed\n' "$passed" "$failed"
  return "$status"
}
