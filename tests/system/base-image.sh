#!/usr/bin/env bash
# Makes a stand-in for a public base image of Debian with Node, for machines that reach no image registry: Debian by mmdebstrap, Node and
# npm of this machine. Needs root, buildah and mmdebstrap.
#   usage: base-image.sh NAME NODE_BINARY SUITE
set -euo pipefail
name=${1:?usage: base-image.sh NAME NODE_BINARY SUITE} node=${2:?} suite=${3:?}
tag=localhost/$name
buildah images --format '{{.Name}}:{{.Tag}}' | grep -qx "$tag" && exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mmdebstrap --quiet --variant=minbase --include=ca-certificates "$suite" "$work/base.tar" </dev/null
container=$(buildah from scratch)
buildah add --quiet "$container" "$work/base.tar" /
buildah copy --quiet "$container" "$node" /usr/local/bin/node
npm=$(readlink -f "$(dirname "$(readlink -f "$(command -v npm)")")/..")
buildah copy --quiet "$container" "$npm" /usr/local/lib/node_modules/npm
buildah run "$container" -- sh -c 'ln -sf ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm; useradd -m node'
# The build downloads packages: it must trust what this machine trusts.
buildah copy --quiet "$container" /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
buildah config --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt "$container"
buildah commit --quiet "$container" "$tag"
buildah rm "$container" >/dev/null
