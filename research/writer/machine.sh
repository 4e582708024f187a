#!/bin/bash
# The stages of the writer on a machine with a GPU and many cores: machine.sh gen|train|card DATA OUT [SECONDS]
# `tsx` must be a command. DATA stays on the machine between the stages; what is to be kept goes to OUT.
set -u
stage=$1 data=$2 out=$3 seconds=${4:-}
here=$(dirname "$0")
mkdir -p "$data" "$out"
case $stage in
gen)
  for shard in $(seq 0 15); do
    tsx "$here/generate.ts" "$data" --shard "$shard" --shards 16 --seconds "${seconds:-70}" --bundled 2 >"$data/gen-$shard.log" 2>&1 &
  done
  wait
  at=0
  for world in household household household shop shop shop tools tools research research countdown archive draft emit ledger talk; do
    part=0
    while [ -e "$data/ask-$world-$part.log" ]; do part=$((part + 1)); done
    tsx "$here/ask.ts" "$data" --world "$world" --part "$part" --seconds 25 >"$data/ask-$world-$part.log" 2>&1 &
    until [ -e "$data/ask-$world-$part.log" ]; do :; done
    at=$((at + 1))
    [ $at -le 2 ] && tsx "$here/generate.ts" "$data" --split valid --shard "$at" --shards 2 --seconds 15 >"$data/held-$at.log" 2>&1 &
  done
  wait
  cat "$data"/*.log >"$out/gen.log"
  cp "$data/lessons-00.jsonl" "$out/examples.json.txt"
  ;;
train)
  [ -e "$data/lessons-00.bin" ] || bash "$0" gen "$data" "$out" 40
  python3 "$here/train.py" "$data" "$out/writer" --seconds "${seconds:-270}" >"$out/train.log" 2>"$out/train.err"
  mkdir -p "$data/writer" && cp "$out"/writer/* "$data/writer/"
  (cd "$data" && tar cJf "$out/asked.tar.xz" ask-*.jsonl answers.jsonl)
  ;;
card)
  for world in household shop tools research countdown archive draft emit ledger talk; do
    tsx "$here/card.ts" "$data" --world "$world" --seconds "${seconds:-110}" >"$out/card-$world.json" 2>"$out/card-$world.err" &
  done
  wait
  ;;
esac
