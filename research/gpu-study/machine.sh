#!/usr/bin/env bash
# The steps of the study on a machine with a GPU, each one command. Everything lies in $KEEP:
#   tinyllama.gguf, lessons.jsonl, games/ (the official games), study.mjs (the bundle of run.ts), carry.py,
#   python/trainer
# and what is made of it: base/ (the model), adapter16/ (the warm-up), warm/ (both together), runs/, checkpoints/, logs/.
#
#   machine.sh convert                       tinyllama.gguf to base/
#   machine.sh serve NAME PORT MODEL [...]   a server that stays, and waits until it listens; more words go to it
#   machine.sh warm-up PORT                  base/ and lessons.jsonl to adapter16/ and warm/
#   machine.sh card PORT                     success of the served model, with advice and without
#   machine.sh arm ARM SEED PORT UPDATES     one arm, which stays; it goes on after its last checkpoint
#   machine.sh pack NAME                     the newest checkpoint of a server, small enough to be carried
set -euo pipefail
KEEP=${KEEP:-/tmp/keep}
PY=${PY:-python3}
NODE=${NODE:-node}
export PYTHONPATH=$KEEP/python/trainer${MORE_PYTHON:+:$MORE_PYTHON} PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1
export TINKER_API_KEY=${TINKER_API_KEY:-tml-study} LIMBECK_TRAINER_KEY=${TINKER_API_KEY:-tml-study}
mkdir -p "$KEEP/logs" "$KEEP/runs"
cd "$KEEP"

study() { "$NODE" study.mjs "$@" --games "$KEEP/games"; }

case $1 in
convert)
  sha256sum tinyllama.gguf
  "$PY" -m limbeck_torch.gguf tinyllama.gguf base --device "${DEVICE:-cuda}"
  ;;
serve)
  name=$2 port=$3 model=$4
  shift 4
  setsid "$PY" -m limbeck_torch --model "$model" --checkpoints "$KEEP/checkpoints/$name" --port "$port" "$@" \
    > "logs/server-$name.log" 2>&1 < /dev/null &
  server=$!
  echo $server > "logs/server-$name.pid"
  until grep -q listening "logs/server-$name.log"; do
    kill -0 $server || { cat "logs/server-$name.log"; exit 1; }
    sleep 0.2
  done
  ;;
warm-up)
  study warm-up --url "http://127.0.0.1:$2" --model "$KEEP/base" --lessons lessons.jsonl --out "$KEEP/adapter" --rank 32 \
    --updates "${UPDATES:-240}" --rows 32 --rate 4e-4 --measure-every "${EVERY:-60}" --measure-games "${GAMES:-70}" \
    --enough 0.36 --log logs/warm-up.jsonl
  "$PY" carry.py adapter adapter adapter16
  "$PY" -m limbeck_torch.merge base adapter16 warm --device "${DEVICE:-cuda}"
  ;;
card)
  study card --url "http://127.0.0.1:$2" --model "$KEEP/warm" --log logs/card.jsonl \
    --conditions "${CONDITIONS:-none=140,workflow=140,general=70,misleading=70,placebo=70}"
  ;;
arm)
  setsid "$NODE" study.mjs arm --arm "$2" --seed "$3" --url "http://127.0.0.1:$4" --updates "$5" --games "$KEEP/games" \
    --model "$KEEP/warm" --dir "$KEEP/runs/$2-$3" --log "logs/$2-$3.jsonl" ${MORE:-} > "logs/$2-$3.out" 2>&1 < /dev/null &
  echo $! > "logs/$2-$3.pid"
  ;;
pack)
  "$PY" carry.py pack "checkpoints/$2" "$2.packed"
  ;;
*)
  echo "unknown step $1" >&2
  exit 2
  ;;
esac
