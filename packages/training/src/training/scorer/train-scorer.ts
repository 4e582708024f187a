/** Trains a scorer: what foretells, after every action, how the episode will come out. */
import { mkdir } from "node:fs/promises";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import { withoutUndefined } from "limbeck-base/base/fields";
import { concat } from "limbeck-base/base/concat";
import { checkOptions } from "limbeck-base/base/options";
import { readAdapter, saveAdapter } from "limbeck-policy/policy/local/adapter-files";
import { bundledFolder } from "limbeck-policy/policy/local/bundled-model";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { type Adapter, createAdapter } from "limbeck-policy/policy/local/lora";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { type ScorerCard, writeCard } from "./card.ts";
import { continuationShares } from "./continuations.ts";
import { scorerObjective, softplus } from "./losses.ts";
import { fitPlatt, type Platt } from "./measures.ts";
import { OUTLOOK, outlooks } from "./outlook.ts";
import {
  fittedWithWords,
  headScores,
  type Outputs,
  outputsOf,
  type Reader,
  saidOf,
  standingBefore,
  statesScores,
  withinContext,
} from "./readers.ts";
import { pairedRows, refuseFew, scorerRows, type Labels, type ScorerRow } from "./rows.ts";
import { fitStateHead, readStateHead, saveStateHead, type StateExamples } from "./state-head.ts";
import { SCORER_CHECKS, type TrainScorerOptions } from "./train-scorer-options.ts";
import { answerMarks, ownWordsOf, type OwnWords } from "./likelihood.ts";
import { reportOf } from "./report.ts";

/**
 * A scorer, with its card beside the weights: what it was trained on, how well it orders and how sure it may be on
 * episodes it has not seen, and what choosing by it is worth.
 *
 * @example
 * import { mkdtemp, rm } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { rollout } from "limbeck";
 *
 * const { trajectories } = await rollout({ env: "countdown", envOptions: { level: "easy" }, policy: "bundled", tasks: 12, group: 4 });
 * const out = await mkdtemp(join(tmpdir(), "scorer-"));
 * const card = await trainScorer({ model: "bundled:countdown", out, trajectories, kind: "states", epochs: 1 });
 * console.log(card.labels, card.measures.calibrationError <= 1); // outcome true
 * await rm(out, { recursive: true });
 */
export async function trainScorer(options: TrainScorerOptions): Promise<ScorerCard> {
  checkOptions("trainScorer", options, SCORER_CHECKS);
  const { labels = "outcome", loss = "bce", kind = "adapter" } = options;
  const { train: played, valid, test } = splitEpisodes(options);
  const train = balanceEpisodes(played, options);
  const shares = labels === OUTLOOK ? outlooks(played, options.trajectories) : continuationShares(options.trajectories);
  const rowsOf = (some: readonly Trajectory[], by: Labels): ScorerRow[] =>
    some.flatMap((own) => scorerRows(own, by, shares.get(own.id)));
  // A smoother label of the outcome is still about the outcome.
  const [learning, checking] = [rowsOf(train, labels), rowsOf(valid, labels === OUTLOOK ? "outcome" : labels)];
  refuseFew(learning);
  if (kind === "states" && loss !== "bce")
    throw new EngineError("bad-option", `A head on states learns by bce; the loss is "${loss}". Use kind "adapter".`);
  const rows = loss === "pairs" ? pairedRows(learning) : learning;
  if (rows.length === 0)
    throw new EngineError("bad-input", "No group holds a success and a failure; pairs need both. Use bce.");
  const { rank = 8, seed = 0, base = options.model } = options;
  const model = await openModel(bundledFolder(options.model) ?? options.model, {
    ...(kind === "adapter"
      ? { adapter: (config) => createAdapter(config, { rank, heads: ["quality"], seed: `scorer ${seed}` }) }
      : {}),
    ...withoutUndefined({ threads: options.threads }),
  });
  try {
    refuseOtherTokens(model, rows);
    await mkdir(options.out, { recursive: true });
    const {
      reader,
      platt: plain,
      epochs,
    } = await (kind === "adapter" ? learnAdapter : learnStates)(model, rows, checking, options);
    // Sampling has the state that the last token was sampled from, and not yet the one after it.
    const early = kind === "states" ? 1 : 0;
    const { platt, measures } = await judgedBy({ reader, platt: plain, early, checking, test }, options);
    const card: ScorerCard = {
      form: 1,
      kind,
      stands: "before",
      labels,
      loss,
      platt,
      base,
      epochs,
      episodes: train.length,
      tasks: new Set(train.map(({ task }) => task.id)).size,
      worlds: [...new Set(train.map(({ task }) => task.env))],
      measures,
    };
    await writeCard(options.out, card);
    return card;
  } finally {
    await model.close();
  }
}

interface Learnt {
  /** Reads as what was written does. */
  readonly reader: Reader;
  readonly platt: Platt;
  readonly epochs: number;
}

async function learnAdapter(
  model: LocalModel,
  rows: readonly ScorerRow[],
  checking: readonly ScorerRow[],
  options: TrainScorerOptions,
): Promise<Learnt> {
  const { seconds = 600, now = Date.now, epochs = 3, base = options.model } = options;
  const adapter = model.adapter as Adapter;
  const reader: Reader = (some, signal) => headScores(model, some, "before", signal);
  const standing = rows.map(standingBefore);
  const ends = now() + seconds * 1_000;
  let best = Number.POSITIVE_INFINITY;
  let platt: Platt = { slope: 1, shift: 0 };
  let kept = adapter.weights.flat.slice();
  let done = 0;
  for (let epoch = 1; epoch <= epochs && (epoch === 1 || now() < ends); epoch += 1) {
    const learnt = await oneEpoch(model, standing, options, epoch, (share) =>
      Math.max((epoch - 1 + share) / epochs, 1 - (ends - now()) / (seconds * 1_000)),
    );
    const outputs = await outputsOf(reader, checking, judged(options), options.signal);
    const fit = fitPlatt(outputs.values, outputs.labels);
    const validLoss = meanBce(outputs, fit);
    options.onEpoch?.({ epoch, loss: learnt, validLoss });
    done = epoch;
    if (validLoss >= best) continue;
    [best, platt] = [validLoss, fit];
    kept = adapter.weights.flat.slice();
  }
  adapter.weights.flat.set(kept);
  await saveAdapter(options.out, adapter, { base, type: "BF16" });
  // Judged as it was written: in half of the digits.
  adapter.weights.flat.set((await readAdapter(options.out)).weights.flat);
  model.replaced((model.ref.version ?? 0) + 1);
  return { reader, platt, epochs: done };
}

async function learnStates(
  model: LocalModel,
  rows: readonly ScorerRow[],
  checking: readonly ScorerRow[],
  options: TrainScorerOptions,
): Promise<Learnt> {
  const { seed = 0, signal } = options;
  let done = 0;
  const { hiddenSize, contextLength } = model.config;
  const examples = async (all: readonly ScorerRow[]): Promise<StateExamples> => {
    const some = all.map((row) => withinContext(row, contextLength));
    return {
      states: concat(Float32Array, await model.states(some, signal)),
      labels: Float32Array.from(
        some.flatMap(({ mask, returns }) => [...returns].filter((_, at) => at > 0 && mask[at] === 1)),
      ),
    };
  };
  const [learning, apart] = [await examples(rows), await examples(checking)];
  const fitted = fitStateHead(learning, apart, hiddenSize, {
    seed,
    ...withoutUndefined({ epochs: options.epochs }),
    onEpoch: (epoch) => {
      done = epoch.epoch;
      options.onEpoch?.(epoch);
    },
  });
  await saveStateHead(options.out, fitted);
  const head = await readStateHead(options.out, hiddenSize);
  const reader: Reader = (some, readSignal) => statesScores(model, head, some, readSignal);
  const outputs = await outputsOf(reader, checking, judged(options), signal);
  return { reader, platt: fitPlatt(outputs.values, outputs.labels), epochs: done };
}

async function oneEpoch(
  model: LocalModel,
  rows: readonly ScorerRow[],
  { batch = 32, learningRate = 0.003, loss = "bce", seed = 0, signal }: TrainScorerOptions,
  epoch: number,
  courseAt: (share: number) => number,
): Promise<number> {
  const objective = scorerObjective(loss);
  // The two of a pair stay together.
  const units = loss === "pairs" ? pairUnits(rows) : rows.map((row) => [row]);
  const order = shuffle(units, createRng(`scorer ${seed} ${epoch}`)).flat();
  const losses: number[] = [];
  for (let from = 0; from < order.length; from += batch) {
    // Of the whole course, in updates or in time, whichever ends first.
    const course = courseAt(from / order.length);
    if (course >= 1 && losses.length > 0) break;
    const report = await model.backward(
      order.slice(from, from + batch),
      objective,
      signal === undefined ? {} : { signal },
    );
    await model.step({ learningRate: learningRate * rateAt(course), clipNorm: 1 });
    losses.push(report.loss);
  }
  return mean(losses);
}

/** Rises over the first twentieth of the course and falls to nothing at its end. */
export function rateAt(course: number): number {
  const rise = 0.05;
  return course < rise ? Math.max(course / rise, 0.05) : Math.max(0, 1 - (course - rise) / (1 - rise));
}

function pairUnits(rows: readonly ScorerRow[]): ScorerRow[][] {
  return Array.from({ length: rows.length / 2 }, (_, at) => rows.slice(2 * at, 2 * at + 2));
}

function meanBce({ values, labels }: Outputs, { slope, shift }: Platt): number {
  const each = values.map((value, at) => {
    const z = slope * value + shift;
    return softplus(z) - (labels[at] as number) * z;
  });
  return mean(each);
}

function refuseOtherTokens({ config }: Pick<LocalModel, "config">, rows: readonly ScorerRow[]): void {
  const wrong = rows.find(({ ids }) => ids.some((id) => id < 0 || id >= config.vocabularySize));
  if (wrong === undefined) return;
  throw new EngineError(
    "bad-input",
    `The episode "${wrong.trajectory}" holds tokens that the model does not have (its vocabulary is ${config.vocabularySize}). Give the model that played it with --model.`,
  );
}

// Which episodes a scorer learns from, stops by and is judged by.

/** Whole tasks, so that nothing of a held-out task was seen: an eighth decides when to stop, and the last fifth is held out. */
export function splitEpisodes({ trajectories, heldOut, seed = 0 }: TrainScorerOptions) {
  const usable = trajectories.filter(({ ending }) => ending !== "failed");
  const tasks = shuffle([...new Set(usable.map(({ task }) => task.id))], createRng(`scorer ${seed}`));
  const test = heldOut === undefined ? new Set(tasks.splice(0, Math.ceil(tasks.length / 5))) : new Set<string>();
  const valid = new Set(tasks.splice(0, Math.max(1, Math.round(tasks.length / 8))));
  const seen = new Set(heldOut?.map(({ task }) => task.id));
  return {
    train: usable.filter(({ task }) => tasks.includes(task.id) && !seen.has(task.id)),
    valid: usable.filter(({ task }) => valid.has(task.id) && !seen.has(task.id)),
    test: heldOut ?? usable.filter(({ task }) => test.has(task.id)),
  };
}

/** Of the failures so many for each success; the successes all. */
export function balanceEpisodes(
  played: readonly Trajectory[],
  { balance, seed = 0 }: TrainScorerOptions,
): readonly Trajectory[] {
  if (balance === undefined) return played;
  const failures = played.filter(({ success }) => success === false);
  const wanted = Math.ceil(balance * played.filter(({ success }) => success === true).length);
  const kept = new Set(shuffle(failures, createRng(`balance ${seed}`)).slice(0, wanted));
  return played.filter((one) => one.success !== false || kept.has(one));
}

// What a trained scorer is worth on tasks that it has not seen, and how its outputs become chances.

/** Where outcomes are foretold, the places that it will be asked at; of other labels all places that have one. */
function judged({ labels = "outcome", kind }: TrainScorerOptions): 0 | 1 | "labelled" {
  if (labels !== "outcome" && labels !== OUTLOOK) return "labelled";
  return kind === "states" ? 1 : 0;
}

interface Judging {
  readonly reader: Reader;
  readonly platt: Platt;
  readonly early: 0 | 1;
  readonly checking: readonly ScorerRow[];
  readonly test: readonly Trajectory[];
}

/** What it is worth; with what the model as it plays thinks of its own words, where that is asked for. */
async function judgedBy(
  { reader, platt: plain, early, checking, test }: Judging,
  options: TrainScorerOptions,
): Promise<Pick<ScorerCard, "platt" | "measures">> {
  const { likelihood = false, model: given, threads, signal } = options;
  if (!likelihood) {
    return { platt: plain, measures: reportOf(test, await saidOf(reader, test, { platt: plain, early }, signal)) };
  }
  const playing = await openModel(bundledFolder(given) ?? given, withoutUndefined({ threads }));
  try {
    const marks = answerMarks(playing);
    const words = (rows: readonly ScorerRow[]): Promise<OwnWords[]> => ownWordsOf(playing, marks, rows, signal);
    const platt = await fittedWithWords(reader, words, checking, judged(options), signal);
    return { platt, measures: reportOf(test, await saidOf(reader, test, { platt, early, words }, signal)) };
  } finally {
    await playing.close();
  }
}
