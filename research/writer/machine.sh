#!/bin/bash
# The writer, start to card, on a machine with a GPU and many cores: machine.sh DATA OUT
# `tsx` must be a command. DATA stays on the machine; OUT gets what is to be kept: logs, the card's figures, the weights in pieces.
# GEN, TRAIN, ANSWER, CARD: seconds of the stages. CORES: how many write examples before the training; MORE: and during it.
set -u
data=$1 out=$2
here=$(dirname "$0")
gen=${GEN:-68} train=${TRAIN:-600} answer=${ANSWER:-55} card=${CARD:-75} cores=${CORES:-15} more=${MORE:-3} slack=${SLACK:-60}
mkdir -p "$data" "$out"
data=$(realpath "$data") out=$(realpath "$out")
worlds=${WORLDS:-household shop tools research countdown archive draft emit ledger talk}

# The trainer compiles while the examples are made.
timeout $((gen + train + answer + 2 * slack + 30)) python3 "$here/train.py" "$data" "$data/writer" --wait $((gen + slack)) --seconds "$train" \
  --answer-seconds "$answer" ${TRAIN_ARGS:-} >"$out/train.log" 2>"$out/train.err" &
trainer=$!

made=()
for shard in $(seq 0 $((cores - 1))); do
  timeout $((gen + slack)) tsx "$here/generate.ts" "$data" --shard "$shard" --shards 64 --seconds "$gen" --bundled 3 >"$data/gen-$shard.log" 2>&1 &
  made+=($!)
done
timeout $((gen + slack)) tsx "$here/generate.ts" "$data" --split valid --shard 0 --shards 1 --seconds $((gen / 2)) --bundled 3 >"$data/held.log" 2>&1 &
made+=($!)
wait "${made[@]}"
touch "$data/ready"
cat "$data"/*.log >"$out/gen.log"
cp "$data/lessons-00.jsonl" "$out/examples.json.txt"

# More examples, and the questions of the card, while it trains; others on this machine come first.
for shard in $(seq 20 $((19 + more))); do
  (
    for round in 0 1 2; do
      number=$((shard + round * more))
      [ "$number" -lt 64 ] && nice -n 10 timeout 160 tsx "$here/generate.ts" "$data" --shard "$number" --shards 64 --seconds 100 --bundled 3 \
        >"$data/gen-$number.log" 2>&1
    done
  ) &
done
(
  for world in $worlds; do
    nice -n 5 timeout $((35 + slack)) tsx "$here/ask.ts" "$data" --world "$world" --part 0 --seconds 35 >>"$data/ask.log" 2>&1 &
    [ "$(jobs -rp | wc -l)" -ge 3 ] && wait -n
  done
  wait
) &
asker=$!

# Weights go out as they come, in pieces.
keep() {
  [ -e "$data/writer/model.safetensors" ] || return
  rm -rf "$data/kept" && cp -r "$data/writer" "$data/kept" || return
  (cd "$data/kept" && split -b 6000000 -d model.safetensors "$out/weights.part-") && cp "$data/kept/config.json" "$out/"
}
while kill -0 "$trainer" 2>/dev/null; do
  sleep 5
  [ "$data/writer/config.json" -nt "$out/weights.part-00" ] && keep
done
wait "$trainer"
keep
wait "$asker"
cat "$data"/*.log >"$out/gen.log"
(cd "$data" && tar cJf "$out/asked.tar.xz" ask-*.jsonl answers.jsonl)
cards=()
for world in $worlds; do
  timeout $((card + slack)) tsx "$here/card.ts" "$data" --world "$world" --seconds "$card" --out "$out/card-$world.json" >"$out/card-$world.log" 2>&1 &
  cards+=($!)
done
wait "${cards[@]}"
tsx "$here/table.ts" "$out" >"$out/table.md" 2>&1
