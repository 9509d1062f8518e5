#!/bin/sh
# Fails when a file includes a room that stands above it, or one backend another.
# usage: include_directions.sh <source root>
set -u
cd "$1/src" || exit 2

# room: what it may include of the other rooms (its own always)
rules='
core:
device: core
backends: core device
jit: core device
rng: core device jit
blas3: core device jit
hostblas: core device jit blas3
dropin: core hostblas
kernels:
io: core
bench:
plot:
probe: bench
npb: core
cli: io bench plot npb probe
'

bad=0
for room in */; do
  room=${room%/}
  rule=$(printf '%s\n' "$rules" | grep "^$room:") || {
    echo "src/$room is no room of docs/ARCHITECTURE.md"
    bad=1
    continue
  }
  allowed=" $room ${rule#*:} "
  lines=$(find "$room" -name '*.[ch]' -exec grep -Hn '^ *# *include *"' {} +)
  [ -z "$lines" ] && continue
  broken=$(printf '%s\n' "$lines" | awk -v allowed="$allowed" '
    {
      split($0, part, "\""); path = part[2]; file = $0; sub(/:.*/, "", file)
      slash = index(path, "/"); other = slash ? substr(path, 1, slash - 1) : ""
      # a name without a folder stands beside the file, or is generated
      if (other != "" && index(allowed, " " other " ") == 0) print
      split(file, mine, "/"); split(path, theirs, "/")
      if (mine[1] == "backends" && theirs[1] == "backends" && mine[2] != theirs[2] &&
          file !~ /CMake/) print
    }')
  if [ -n "$broken" ]; then
    echo "src/$room may include $allowed only:"
    printf '%s\n' "$broken" | sort -u
    bad=1
  fi
done

# Users of the public interface alone.
cd .. || exit 2
if grep -rn '^ *# *include *"' examples --include='*.c' --include='*.h' 2>/dev/null |
  grep -v '"[a-z0-9_]*\.h"'; then
  echo "examples may include <quern/...> and their own headers only"
  bad=1
fi
exit $bad
