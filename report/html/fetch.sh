#!/bin/sh
# Fetch the map's layout library from the npm registry.
set -eu
cd "$(dirname "$0")"
version=3.1.2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
npm pack --silent --pack-destination "$dir" "d3-hierarchy@$version" >/dev/null
tar -xzf "$dir/d3-hierarchy-$version.tgz" -C "$dir"
cp "$dir/package/dist/d3-hierarchy.min.js" d3-hierarchy.min.js
cp "$dir/package/LICENSE" d3-hierarchy.LICENSE
