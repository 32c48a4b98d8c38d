# Shared by the scripts of this folder; sourced, not run.
# shellcheck shell=bash
set -euo pipefail

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
BUILD=${MEMFMT_BUILD_DIR:-$ROOT/build}
LLVM_BIN=/usr/lib/llvm-22/bin

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "error: installing packages needs root or sudo" >&2
    exit 1
  fi
}

# install_packages NAME...: installs what is missing, nothing when all is there.
install_packages() {
  local missing=()
  local name
  for name in "$@"; do
    dpkg-query -W -f='${Status}' "$name" 2>/dev/null | grep -q 'ok installed' ||
      missing+=("$name")
  done
  [ ${#missing[@]} = 0 ] && return 0
  say "installing ${missing[*]}"
  as_root env DEBIAN_FRONTEND=noninteractive apt-get update -q
  as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -q -y --no-install-recommends "${missing[@]}" ||
    { echo "error: installing packages failed; LLVM 22 comes from the" \
           "distribution's security archive, which must be enabled" >&2; exit 1; }
}

BUILD_PACKAGES=(g++ cmake ninja-build llvm-22-dev libmlir-22-dev mlir-22-tools
                llvm-22-tools libgtest-dev ccache)
TEST_PACKAGES=(python3 python3-numpy)
