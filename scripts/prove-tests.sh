#!/usr/bin/env bash
# Proves that `npm test` passes whatever the machine does: scripts/prove-tests.sh [runs, 20 unless given] [what npm test runs]
#
# Each run is a fresh clone of HEAD with `npm ci`, and its files come in another order. Runs alternate between root, below a
# folder that only root may enter, and the user `nobody`; each second pair runs beside two busy loops. One line is printed
# for each run, and the output of those that fail is kept. Root starts it, because it changes the user.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ "$(id -u)" = 0 ] || { echo 'scripts/prove-tests.sh: expected root, who runs half of the tests as another user' >&2; exit 2; }
runs=${1:-20} only=("${@:2}") failed=0 loops=()
base=$(mktemp -d)
trap 'kill "${loops[@]}" 2>/dev/null; rm -rf "$base"/*/clone' EXIT
for ((run = 1; run <= runs; run++)); do
  folder=$base/$run who=(env) name=root load=quiet
  mkdir "$folder" && git clone -q --no-local . "$folder/clone" || exit
  chmod 700 "$base"
  if ((run % 2 == 0)); then
    name=nobody who=(setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder")
    chmod 711 "$base" && chown -R 65534:65534 "$folder"
  fi
  loops=()
  if ((run % 4 >= 2)); then
    load='two busy loops'
    for _ in 1 2; do (while :; do :; done) & loops+=($!); done
  fi
  began=$SECONDS verdict=passed
  (cd "$folder/clone" && "${who[@]}" npm ci --no-audit --no-fund &&
    "${who[@]}" npm test -- --sequence.shuffle.files --sequence.seed="$run" "${only[@]}") >"$folder/log" 2>&1 || verdict=failed
  ((${#loops[@]} == 0)) || { kill "${loops[@]}"; wait "${loops[@]}" 2>/dev/null; }
  [ "$verdict" = passed ] || { failed=$((failed + 1)); verdict="failed: $folder/log"; }
  rm -rf "$folder/clone"
  echo "run $run of $runs: $name, $load, seed $run: $verdict in $((SECONDS - began)) s"
done
echo "$((runs - failed)) of $runs passed"
exit $((failed > 0))
