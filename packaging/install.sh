#!/bin/sh
# Installs an executable of kb-mcp for this user, without sudo:
#
#   curl -fsSL https://github.com/kb-mcp/kb-mcp/releases/latest/download/install.sh | sh
#   curl -fsSL … | sh -s -- --version 3.0.0 --dir ~/bin
#
# The SHA-256 of the download must be in SHA256SUMS of the release.
set -eu

usage() {
  cat <<TEXT
Usage: install.sh [--version VERSION] [--dir FOLDER]

  --version VERSION  install this version (default: the latest release)
  --dir FOLDER       install to this folder (default: ~/.local/bin)

KB_MCP_RELEASES replaces the address of the releases, for mirrors.
TEXT
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

# download URL FILE
download() {
  if command -v curl >/dev/null 2>&1; then
    curl --fail --silent --show-error --location --output "$2" "$1"
  elif command -v wget >/dev/null 2>&1; then
    wget --quiet --output-document "$2" "$1"
  else
    fail "curl or wget must be installed"
  fi
}

# sha256 FILE: prints the hash.
sha256() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum "$1" | cut -d ' ' -f 1
  elif command -v shasum >/dev/null 2>&1; then
    shasum -a 256 "$1" | cut -d ' ' -f 1
  else
    fail "sha256sum or shasum must be installed to check the download"
  fi
}

# Prints the target of this machine, as releases name it.
target() {
  os=$(uname -s) arch=$(uname -m)
  case "$arch" in
    x86_64 | amd64) arch=x86_64 ;;
    aarch64 | arm64) arch=aarch64 ;;
    *) fail "there is no executable for $os on $arch: use npx kb-mcp" ;;
  esac
  case "$os" in
    Linux)
      for loader in /lib/ld-musl-*; do
        [ ! -e "$loader" ] || fail "there is no executable for Linux with musl: use the container image"
      done
      echo "$arch-unknown-linux-gnu"
      ;;
    Darwin) echo "$arch-apple-darwin" ;;
    *) fail "there is no executable for $os here: on Windows, download kb-mcp-x86_64-pc-windows-msvc.exe" ;;
  esac
}

# The whole program is a function: a download that breaks off does nothing.
main() {
  version=latest
  folder=${HOME:?}/.local/bin
  while [ $# -gt 0 ]; do
    case "$1" in
      --version) version=${2:?--version must be followed by a version} && shift 2 ;;
      --dir) folder=${2:?--dir must be followed by a folder} && shift 2 ;;
      -h | --help) usage && exit 0 ;;
      *) usage >&2 && exit 64 ;;
    esac
  done
  releases=${KB_MCP_RELEASES:-https://github.com/kb-mcp/kb-mcp/releases}
  case "$version" in
    latest) url=$releases/latest/download ;;
    *) url=$releases/download/v${version#v} ;;
  esac
  file=kb-mcp-$(target)

  mkdir -p "$folder"
  # In the same folder, so that the last step is a rename.
  temporary=$(mktemp -d "$folder/.kb-mcp-install.XXXXXX")
  trap 'rm -rf "$temporary"' EXIT
  trap 'exit 130' INT TERM HUP
  echo "Downloading $url/$file"
  download "$url/SHA256SUMS" "$temporary/SHA256SUMS" || fail "cannot download $url/SHA256SUMS"
  download "$url/$file" "$temporary/kb-mcp" || fail "cannot download $url/$file"
  expected=$(awk -v file="$file" '$2 == file || $2 == "*" file { print $1 }' "$temporary/SHA256SUMS")
  actual=$(sha256 "$temporary/kb-mcp")
  [ -n "$expected" ] || fail "SHA256SUMS of the release does not contain $file"
  [ "$expected" = "$actual" ] || fail "the SHA-256 of $file must be $expected, got $actual"
  chmod 755 "$temporary/kb-mcp"
  mv -f "$temporary/kb-mcp" "$folder/kb-mcp"
  echo "Installed $folder/kb-mcp"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) echo "Add $folder to PATH to run it as kb-mcp" ;;
  esac
}

main "$@"
