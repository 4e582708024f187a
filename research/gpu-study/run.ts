/**
 * A real model on the official games, with the weights on a GPU:
 *
 *     ALFWORLD_DATA=GAMES tsx research/gpu-study/run.ts lessons --out lessons.jsonl --shards 5
 *     tsx research/gpu-study/run.ts warm-up --url URL --model BASE --games GAMES --lessons lessons.jsonl --out adapter
 *     python -m limbeck_torch.merge BASE adapter WARM
 *     tsx research/gpu-study/run.ts card --url URL --model WARM --games GAMES
 *     tsx research/gpu-study/run.ts arm --arm opid --seed 1 --url URL --model WARM --games GAMES --dir runs/opid-1
 *
 * URL is a `limbeck-torch --model BASE` or `--model WARM`; its key is in TINKER_API_KEY. The same call of `arm` goes on after its
 * last checkpoint. Every line that is printed is JSON. `tsx scripts/bundle.ts research/gpu-study/run.ts FILE` puts all of it
 * into one file.
 */
import { appendFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EngineError } from "limbeck";
import { lookUp } from "../../packages/base/src/base/registry.ts";
import { arms, runArm, type ArmName } from "./arm.ts";
import { writeLessons } from "./lessons.ts";
import { measureCard, warmUp } from "./warm-up.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string" },
    model: { type: "string" },
    games: { type: "string" },
    lessons: { type: "string" },
    out: { type: "string" },
    dir: { type: "string" },
    /** A file that lines are also added to. */
    log: { type: "string" },
    arm: { type: "string", default: "opid" },
    seed: { type: "string", default: "1" },
    shards: { type: "string", default: "5" },
    updates: { type: "string", default: "60" },
    rows: { type: "string", default: "32" },
    rank: { type: "string", default: "8" },
    rate: { type: "string", default: "2e-4" },
    tasks: { type: "string", default: "16" },
    group: { type: "string", default: "8" },
    lag: { type: "string" },
    "measure-every": { type: "string", default: "5" },
    "measure-games": { type: "string", default: "140" },
    enough: { type: "string", default: "0.3" },
    conditions: { type: "string", default: "none=140,workflow=140,general=70,misleading=70,placebo=70" },
  },
});

const say = (event: Readonly<Record<string, unknown>>): void => {
  const line = `${JSON.stringify(event)}\n`;
  process.stdout.write(line);
  if (values.log !== undefined) appendFileSync(values.log, line);
};

function need(name: "url" | "model" | "games" | "lessons" | "out" | "dir"): string {
  const value = values[name];
  if (value === undefined) throw new EngineError("usage", `Give --${name}.`);
  return value;
}

async function sizesOf(folder: string): Promise<{ readonly vocabularySize: number; readonly contextLength: number }> {
  const config = JSON.parse(await readFile(join(folder, "config.json"), "utf8")) as Record<string, number>;
  return { vocabularySize: Number(config["vocab_size"]), contextLength: Number(config["max_position_embeddings"]) };
}

const shared = { apiKey: process.env["TINKER_API_KEY"], seed: Number(values.seed), rank: Number(values.rank), say };
const commands: Readonly<Record<string, () => Promise<void>>> = {
  lessons: async () => {
    say({ event: "lessons", kinds: await writeLessons(need("out"), Number(values.shards)) });
  },
  "warm-up": async () => {
    const [url, model, games] = [need("url"), need("model"), need("games")];
    await warmUp({
      ...shared,
      ...(await sizesOf(model)),
      url,
      model,
      games,
      lessons: need("lessons"),
      out: need("out"),
      updates: Number(values.updates),
      batchRows: Number(values.rows),
      learningRate: Number(values.rate),
      measureEvery: Number(values["measure-every"]),
      measureGames: Number(values["measure-games"]),
      enough: Number(values.enough),
    });
  },
  card: async () => {
    const [url, model, games] = [need("url"), need("model"), need("games")];
    const counts = values.conditions.split(",").map((part) => part.split("=") as [string, string]);
    const wanted = Object.fromEntries(counts.map(([name, count]) => [name, Number(count)]));
    await measureCard({ ...shared, ...(await sizesOf(model)), url, model, games, conditions: wanted });
  },
  arm: async () => {
    lookUp(arms, values.arm, "arm");
    await runArm({
      ...shared,
      arm: values.arm as ArmName,
      url: need("url"),
      model: need("model"),
      games: need("games"),
      dir: need("dir"),
      updates: Number(values.updates),
      tasks: Number(values.tasks),
      group: Number(values.group),
      learningRate: Number(values.rate),
      lag: values.lag === undefined ? undefined : Number(values.lag),
      measureEvery: Number(values["measure-every"]),
      measureGames: Number(values["measure-games"]),
    });
  },
};

await lookUp(commands, positionals[0] ?? "", "step of the study")();
