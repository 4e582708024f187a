/**
 * Makes a bundled model from nothing: lessons, words, training, folder. `npm run reproduce:model [-- --world shop]`
 *
 * Killed at any moment and called again, it goes on where it was; with the same number of threads it ends with the same
 * weights. `--updates N` makes a quick trial of the whole way with stages of N updates, and a model of no use.
 */
import { fork } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir, rm, stat, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import { EngineError, openModel, type LocalModel } from "limbeck";
import { createModel } from "limbeck/local";
import { serveGradients } from "./gradient-worker.ts";
import { makeShard, readWords, takeWords } from "./lesson-files.ts";
import { spreadOver } from "./parallel-learner.ts";
import { folderFor, planFor } from "./plans.ts";
import { trainStages } from "./stages.ts";

const { values } = parseArgs({
  options: {
    world: { type: "string", default: "household" },
    /** The model's folder. Default: that of the world. */
    out: { type: "string" },
    work: { type: "string", default: ".cache/starting-model" },
    threads: { type: "string", default: String(availableParallelism()) },
    updates: { type: "string" },
    shard: { type: "string" },
    lessons: { type: "string", default: "advice" },
    /** Makes lessons and an untrained model in this folder, for torch-train.py, and stops. */
    prepare: { type: "string" },
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

const plan = planFor(values.world, values.updates === undefined ? undefined : Number(values.updates));

if (!isMainThread) await serveGradients();
else if (values.shard !== undefined) await makeShard(values.work, plan.source, Number(values.shard), values.lessons);
else if (values.prepare !== undefined) await prepare(values.prepare);
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
  const { training, lessonsMadeFrom: rest, stagesMadeFrom: planned } = plan;
  const lessons = folder("lessons", values.from === undefined ? rest : { rest, from: values.from });
  await mkdir(lessons, { recursive: true });
  // A model that goes on reads what it has always read; other words would be another language.
  if (values.from !== undefined) await takeWords(lessons, values.from);
  const checkpoint = folder("checkpoint", { modelConfig: plan.config, rest, planned, from: values.from });
  const model = spreadOver(Number(values.threads), await openOrCreate(lessons, checkpoint), new URL(import.meta.url));
  await trainStages({
    model,
    training,
    stages: plan.stages(lessons).slice(Number(values.stage) - 1),
    save: (updates) => model.save(checkpoint, { progress: { updates } }),
    say: (line) => void process.stdout.write(`${line}\n`),
  });
  const out = values.out ?? folderFor(values.world);
  for (const name of TEXT_FILES) await rm(join(out, name), { force: true });
  await model.save(out, { precision: "bfloat16", optimiser: false, progress: {} });
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

async function openOrCreate(lessons: string, checkpoint: string): Promise<LocalModel> {
  const there = await stat(checkpoint).then(
    () => true,
    () => false,
  );
  const options = { threads: 1, name: values.world };
  if (there) return openModel(checkpoint, { ...options, resume: true });
  return values.from === undefined ? untrained(lessons) : openModel(values.from, options);
}

/** Without weights of its own, or what the world carries on. */
async function untrained(lessons: string): Promise<LocalModel> {
  const { words } = plan.source;
  if (typeof words === "string") return openModel(words, { threads: 1, name: values.world });
  const tokenizer = await readWords(lessons, plan.source);
  return createModel(plan.config, { threads: 1, name: values.world, seed: plan.training.seed, tokenizer });
}

/** Only worlds with one stage: the other way of training knows no more. */
async function prepare(work: string): Promise<void> {
  const lessons = join(work, "lessons");
  await mkdir(lessons, { recursive: true });
  const [stage, ...others] = plan.stages(lessons);
  if (stage === undefined || others.length > 0) {
    throw new EngineError(
      "custom:not-one-stage",
      `The model of "${values.world}" is trained in several stages, here alone.`,
    );
  }
  const rows = await stage.rows();
  const { rows: _, ...rates } = stage;
  const model = await untrained(lessons);
  await model.save(join(work, "start"), { precision: "float32", optimiser: false, progress: {} });
  await model.close();
  const training = { world: values.world, ...plan.training, ...rates };
  await writeFile(join(work, "training.json"), `${JSON.stringify(training, undefined, 2)}\n`);
  const tokens = rows.reduce((sum, row) => sum + row.length, 0);
  process.stdout.write(`${rows.length} lessons of ${tokens} tokens in ${work}\n`);
}
