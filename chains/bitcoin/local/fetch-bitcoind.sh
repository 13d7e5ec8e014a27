#!/usr/bin/env bash
# A real bitcoind for the tests (Bitcoin Knots, which answers as Core does), unpacked into a folder out of Debian's packages with
# all it needs: nothing is installed, no root is asked for. Prints the path of a program to run, for BITCOIND.
#   BITCOIND=$(chains/bitcoin/local/fetch-bitcoind.sh /tmp/causeway-bitcoind) npx vitest run chains/bitcoin
set -euo pipefail
dir=$(realpath -m "${1:?where to: a folder}")
if "$dir/bitcoind" --version >/dev/null 2>&1; then
  echo "$dir/bitcoind"
  exit
fi
command -v apt-get >/dev/null || { echo 'this needs apt-get' >&2; exit 1; }
mkdir -p "$dir"/{lists/partial,cache/archives/partial,root}
# The mirror that this machine uses already; where its lists were never read, Debian's own.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 2>/dev/null | grep -v security | head -1 || true)
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keys" ] && trust="signed-by=$keys" || trust='trusted=yes'
echo "deb [$trust] ${mirror:-http://deb.debian.org/debian} sid main" >"$dir/sources.list"
# As on a machine that has no package yet: whatever the program needs comes along, the C library too.
: >"$dir/status"
apart=(-o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$dir/lists"
  -o Dir::State::Status="$dir/status" -o Dir::Cache="$dir/cache" -o Debug::NoLocking=1 -o APT::Sandbox::User=root
  -o Acquire::Languages=none -o APT::Install-Recommends=0)
apt-get "${apart[@]}" update -qq >&2
apt-get "${apart[@]}" install --download-only -y -qq bitcoin-knots >&2
for package in "$dir"/cache/archives/*.deb; do dpkg -x "$package" "$dir/root"; done
libraries=$dir/root/usr/lib/$(uname -m)-linux-gnu
loader=$(ls "$libraries"/ld-linux-*.so.* | head -1)
printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' "$loader" "$libraries" "$dir/root/usr/bin/bitcoind" >"$dir/bitcoind"
chmod +x "$dir/bitcoind"
rm -rf "$dir"/{lists,cache}
"$dir/bitcoind" --version | head -1 >&2
echo "$dir/bitcoind"
