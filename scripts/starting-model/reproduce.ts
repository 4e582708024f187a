/**
 * Makes the bundled model from nothing: lessons, words, training, folder. `npm run reproduce:model`
 *
 * Killed at any moment and called again, it goes on where it was; with the same number of threads it ends with the same
 * weights. `--updates N` makes a quick trial of the whole way with stages of N updates, and a model of no use.
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import type { LocalModel } from "../../src/policy/local/local-model.ts";
import { createModel, openModel } from "../../src/policy/local/open-model.ts";
import { serveGradients } from "./gradient-worker.ts";
import type { LessonSet } from "./lessons.ts";
import { spreadOver } from "./parallel-learner.ts";
import { modelConfig, settings, type Stage } from "./settings.ts";
import { makeShard, readWords } from "./shards.ts";
import { trainStages } from "./stages.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "models/household" },
    work: { type: "string", default: ".cache/starting-model" },
    threads: { type: "string", default: String(availableParallelism()) },
    updates: { type: "string" },
    shard: { type: "string" },
    lessons: { type: "string", default: "advice" },
    /** A model to go on from, and the stage, from 1, that it begins with. */
    from: { type: "string" },
    stage: { type: "string", default: "1" },
  },
});

/** What saving leaves alone in a folder that has it; another tokenizer could not be written over. */
const TEXT_FILES = [
  "chat_template.jinja",
  "config.json",
  "generation_config.json",
  "tokenizer.json",
  "tokenizer_config.json",
];

/** The runtime computes in a pool that all threads share; four are too few for more threads, and it is sized at the start. */
const poolIsSmall = Number(values.threads) > 4 && process.env["UV_THREADPOOL_SIZE"] === undefined;

if (!isMainThread) await serveGradients();
else if (values.shard !== undefined)
  await makeShard(values.work, settings, Number(values.shard), values.lessons as LessonSet);
else if (poolIsSmall) await withLargerPool();
else await reproduce();

async function withLargerPool(): Promise<void> {
  const env = { ...process.env, UV_THREADPOOL_SIZE: values.threads };
  const [code] = (await once(fork(process.argv[1] as string, process.argv.slice(2), { env }), "exit")) as [
    number | null,
  ];
  process.exitCode = code ?? 1;
}

async function reproduce(): Promise<void> {
  const { stages, ...rest } = settings;
  const lessons = folder("lessons", rest);
  await mkdir(lessons, { recursive: true });
  const planned = values.updates === undefined ? stages : stages.map((stage) => trial(stage, Number(values.updates)));
  const checkpoint = folder("checkpoint", { modelConfig, rest, planned, from: values.from });
  const model = spreadOver(Number(values.threads), await openOrCreate(lessons, checkpoint), new URL(import.meta.url));
  await trainStages({
    model,
    settings: { ...settings, stages: planned.slice(Number(values.stage) - 1) },
    lessons,
    save: (updates) => model.save(checkpoint, { progress: { updates } }),
    say: (line) => void process.stdout.write(`${line}\n`),
  });
  for (const name of TEXT_FILES) await rm(join(values.out, name), { force: true });
  await model.save(values.out, { precision: "bfloat16", optimiser: false, progress: {} });
  await model.stop();
  await model.close();
}

/** One folder per set of settings: what was made by others is never mixed in. */
function folder(name: string, madeFrom: unknown): string {
  return join(
    values.work,
    `${name}-${createHash("sha256").update(JSON.stringify(madeFrom)).digest("hex").slice(0, 12)}`,
  );
}

function trial(stage: Stage, updates: number): Stage {
  const games = { offset: stage.games.offset, count: settings.gamesPerShard };
  return { ...stage, games, updates, warmupUpdates: Math.min(stage.warmupUpdates, updates) };
}

async function openOrCreate(lessons: string, checkpoint: string): Promise<LocalModel> {
  const options = { threads: 1, name: "household" };
  const there = await stat(checkpoint).then(
    () => true,
    () => false,
  );
  if (there) return openModel(checkpoint, { ...options, resume: true });
  if (values.from !== undefined) return openModel(values.from, options);
  return createModel(modelConfig, { ...options, seed: settings.seed, tokenizer: await readWords(lessons, settings) });
}
