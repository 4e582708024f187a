/**
 * Makes the bundled model from nothing: lessons, words, training, folder. `npm run reproduce:model`
 *
 * Killed at any moment and called again, it goes on where it was and ends with the same weights.
 */
import { createHash } from "node:crypto";
import { mkdir, rm, stat } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isMainThread } from "node:worker_threads";
import { createSchedule } from "../../src/policy/index.ts";
import { createModel, openModel } from "../../src/policy/local/open-model.ts";
import type { LocalModel } from "../../src/policy/local/local-model.ts";
import { objectives, trainSupervised } from "../../src/train/index.ts";
import { serveGradients } from "./gradient-worker.ts";
import { spreadOver } from "./parallel-learner.ts";
import { unpackRow } from "./rows.ts";
import { modelConfig, settings as usual } from "./settings.ts";
import { makeShard, readShards, readWords } from "./shards.ts";

const { values } = parseArgs({
  options: {
    out: { type: "string", default: "models/household" },
    work: { type: "string", default: ".cache/starting-model" },
    shard: { type: "string" },
    threads: { type: "string", default: String(availableParallelism()) },
    /** A quick trial of the whole way: fewer games, fewer updates, a model of no use. */
    games: { type: "string", default: String(usual.games) },
    updates: { type: "string", default: String(usual.updates) },
  },
});

const settings = { ...usual, games: Number(values.games), updates: Number(values.updates) };

/** One folder per set of settings: what was made by others is never mixed in. */
const folder = (name: string, madeFrom: unknown): string =>
  join(values.work, `${name}-${createHash("sha256").update(JSON.stringify(madeFrom)).digest("hex").slice(0, 12)}`);

if (!isMainThread) await serveGradients();
else if (values.shard !== undefined) await makeShard(values.work, settings, Number(values.shard));
else {
  const { dial, seed, games, lessonsPerGame, shards, wordGames } = settings;
  const lessons = folder("lessons", { dial, seed, games, lessonsPerGame, shards, wordGames });
  await reproduce(lessons, folder("checkpoint", { modelConfig, settings }), values.out);
}

async function reproduce(work: string, checkpoint: string, out: string): Promise<void> {
  await mkdir(work, { recursive: true });
  const started = process.hrtime.bigint();
  const seconds = (): number => Number(process.hrtime.bigint() - started) / 1e9;
  const packed = await readShards(work, settings);
  const rows = packed.map((row) => unpackRow(row, settings.readingWeight));
  const tokens = rows.reduce((sum, { ids }) => sum + ids.length, 0);
  say(`${rows.length} lessons, ${tokens} tokens (${seconds().toFixed(0)} s)`);
  const model = spreadOver(Number(values.threads), await openOrCreate(work, checkpoint), new URL(import.meta.url));
  const from = Number(model.progress["updates"] ?? 0);
  let read = 0;
  const save = (updates: number): Promise<void> => model.save(checkpoint, { progress: { updates } });
  const { updates, batchRows, learningRate, finalLearningRate, warmupUpdates, clipNorm, seed } = settings;
  const schedule = createSchedule({
    kind: "cosine",
    learningRate,
    finalLearningRate,
    steps: updates,
    warmupSteps: Math.min(warmupUpdates, updates),
  });
  const objective = objectives["cross-entropy"].create();
  const begun = seconds();
  await trainSupervised(model, rows, {
    objective,
    schedule,
    steps: updates,
    from,
    batchRows,
    seed,
    clipNorm,
    onStep: async ({ step, loss, tokens: own }) => {
      read += own;
      const due = step % settings.saveEvery === 0 || step === updates;
      if (!due) return;
      const rate = read / (seconds() - begun);
      say(
        `update ${step} of ${updates}: loss ${loss.toFixed(4)}, ${rate.toFixed(0)} tokens a second (${seconds().toFixed(1)} s)`,
      );
      await save(step);
    },
  });
  // Another configuration or tokenizer cannot be written over; the weights of the last model are no use beside these.
  for (const name of [
    "config.json",
    "tokenizer.json",
    "tokenizer_config.json",
    "chat_template.jinja",
    "generation_config.json",
  ]) {
    await rm(join(out, name), { force: true });
  }
  await model.save(out, { precision: "bfloat16", optimiser: false, progress: {} });
  await model.stop();
  await model.close();
  say(`saved in ${out} (${seconds().toFixed(0)} s)`);
}

async function openOrCreate(work: string, checkpoint: string): Promise<LocalModel> {
  const options = { threads: 1, name: "household" };
  const there = await stat(checkpoint).then(
    () => true,
    () => false,
  );
  if (there) return openModel(checkpoint, { ...options, resume: true });
  return createModel(modelConfig, { ...options, seed: settings.seed, tokenizer: await readWords(work, settings) });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
