/** A supervised training on files: open, read, train, save. What is saved with the model lets it go on as the same one. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError, isAbort, throwIfAborted, usageError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { sum } from "limbeck-base/base/statistics/summary";
import { isThere, requireNew } from "limbeck-base/base/files";
import { neededPath } from "limbeck-base/base/given-file";
import { chooseTrajectories } from "limbeck-core/distill/curation/topology";
import { buildCloningRows } from "limbeck-core/objective/cloning-rows";
import { meanLoss, trainSupervised, type SupervisedOptions } from "limbeck-core/objective/supervised";
import { allObjectives, objectives } from "limbeck-core/objective/registry";
import { oneTokenRows } from "limbeck-core/objective/one-token-rows";
import { createSchedule } from "limbeck-policy/policy/schedule";
import type { Objective, TrainRow } from "limbeck-policy/policy/objective";
import { saveAdapter } from "limbeck-policy/policy/local/adapter-files";
import { MATRIX_NAMES } from "limbeck-policy/policy/local/forms";
import { givenModel, neededModel } from "limbeck-policy/policy/local/given-model";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { createAdapter, LORA_TARGETS, mergeAdapter } from "limbeck-policy/policy/local/lora";
import { requireTokenizer } from "limbeck-policy/policy/local/open-model";
import type { WeightKind } from "limbeck-policy/policy/local/quantised/kinds";
import { detectFormat, formats } from "limbeck-store/store/formats/index";
import type { Source } from "limbeck-store/store/formats/source";
import { createForest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { SftContext, SftInput, SftSettings } from "./sft.inputs.ts";

/** An adapter learns few numbers from zero and takes larger steps. */
const LEARNING_RATE = { full: 3e-4, lora: 2e-3 } as const;

export async function trainOnFiles(input: SftInput, context: SftContext) {
  const started = context.now();
  const settings = settingsOf(input);
  const out = neededPath(context, input.out, '"limbeck sft" needs --out DIR, a folder for the trained model.');
  const resume = input.resume && (await isThere(out));
  if (!resume) await requireNew(out, input.out ?? out, "--resume to continue it, or another --out");
  const sources = await findSources(input, context);
  const { lora, seed } = settings;
  const weights = learnedWeights(input, resume);
  const base = neededModel("sft", input.model, context.cwd);
  const model = await givenModel("sft", { ...input, model: resume ? out : base }, context, {
    resume,
    weights,
    ...(lora === null ? {} : { adapter: (config) => createAdapter(config, { ...lora, seed }) }),
  });
  try {
    const rows = await readRows(input, context, sources, model);
    const heldOutLoss = await learn(model, { input, settings, rows, out, resume }, context);
    const { step } = model.progress as unknown as SftProgress;
    const measured = heldOutLoss === undefined ? {} : { heldOutLoss };
    const end = { step, ...measured, out, durationMs: Math.round(context.now() - started) };
    context.emit({ event: "end", ...end });
    return end;
  } finally {
    await model.close();
  }
}

function settingsOf(input: SftInput): SftSettings {
  const { batchRows, schedule, warmupSteps, weightDecay, clipNorm = 1, seed } = input;
  const lora = loraOf(input);
  return {
    batchRows,
    learningRate: input.learningRate ?? (lora === null ? LEARNING_RATE.full : LEARNING_RATE.lora),
    schedule,
    warmupSteps,
    weightDecay,
    clipNorm,
    seed,
    ...(input.objective === "otr" ? { objective: "otr" as const } : {}),
    lora,
  };
}

function loraOf({ lora: rank, loraAlpha, loraTargets }: SftInput): SftSettings["lora"] {
  if (rank === undefined) return null;
  const named: readonly string[] = loraTargets?.split(",").map((name) => name.trim()) ?? LORA_TARGETS;
  const odd = named.find((name) => !MATRIX_NAMES.some((known) => known === name));
  if (odd !== undefined) {
    throw usageError(`--lora-targets names "${odd}"; allowed are ${MATRIX_NAMES.join(", ")}, with commas between.`);
  }
  return { rank, alpha: loraAlpha ?? 2 * rank, targets: MATRIX_NAMES.filter((target) => named.includes(target)) };
}

/** Float32, unless an adapter learns on weights that are asked for in few bits. */
function learnedWeights({ weights = "auto", lora }: SftInput, resumes: boolean): WeightKind {
  if (weights === "float32" || weights === "auto") return "float32";
  if (lora === undefined) {
    throw usageError(`--weights ${weights} cannot learn; give --lora RANK too, or --weights float32.`);
  }
  if (!resumes) return weights;
  throw usageError(
    `--resume continues a folder with float32 weights; with --weights ${weights} only the adapter is kept.`,
  );
}

interface Given {
  readonly path: string;
  readonly bytes: number;
  readonly format: Source;
}

/** Every file is looked at before the model is opened: a typing error in the last name must not cost minutes. */
async function findSources({ in: first, files, format: named }: SftInput, { cwd }: SftContext): Promise<Given[]> {
  const sources: Given[] = [];
  for (const file of [...first, ...files]) {
    const path = resolve(cwd, file);
    const { size: bytes } = await stat(path).catch((cause: unknown) => {
      throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause });
    });
    const format = named === undefined ? await detectFormat(path) : lookUp<Source>(formats, named, "format");
    sources.push({ path, bytes, format });
  }
  if (sources.length > 0) return sources;
  throw usageError('"limbeck sft" needs --in FILE, chats or trajectories to train on.');
}

type Rows = Awaited<ReturnType<typeof readRows>>;

/** Trajectories by any format, split into what is trained on and what is held out. */
async function readRows(input: SftInput, context: SftContext, sources: readonly Given[], model: LocalModel) {
  const { trajectories, skipped } = await readTrajectories(input, context, sources);
  const wanted = wantedOf(input, trajectories);
  const { contextLength, vocabularySize } = model.config;
  const maxTokens = Math.min(contextLength, input.maxTokens ?? contextLength);
  const tokenizer = requireTokenizer(model);
  const { tokens = "auto" } = input;
  const options = {
    tokenizer,
    chat: model.chat,
    vocabularySize,
    maxTokens,
    tokens,
    forest: createForest(trajectories),
  };
  const made = wanted.map((trajectory) => buildCloningRows(trajectory, options));
  // Whole trajectories are held out: rows of one are not independent.
  const count = made.length < 2 ? 0 : Math.min(made.length - 1, Math.round(made.length * input.heldOut));
  const order = shuffle([...made.keys()], createRng(input.seed).split("held out"));
  const held = new Set(order.slice(0, count));
  const rowsOf = (isHeld: boolean): TrainRow[] => made.flatMap(({ rows }, at) => (held.has(at) === isHeld ? rows : []));
  const [train, heldOut] = [rowsOf(false), rowsOf(true)];
  if (train.length === 0) {
    const all = `${trajectories.length} ${trajectories.length === 1 ? "trajectory" : "trajectories"}`;
    throw new EngineError(
      "bad-input",
      `There is nothing to train on: ${all}, ${wanted.length} wanted, none with a reply that fits ${maxTokens} tokens.`,
    );
  }
  const facts = {
    trajectories: wanted.length,
    rows: train.length,
    heldOutRows: heldOut.length,
    tokens: sum(train.map(({ ids }) => ids.length)),
    trainedTokens: sum(train.map(({ mask }) => sum(mask))),
    exactTrajectories: made.filter(({ source }) => source === "exact").length,
    cutRows: sum(made.map(({ cut }) => cut)),
    emptyRows: sum(made.map(({ empty }) => empty)),
    skipped,
  };
  return { train, heldOut, fingerprint: fingerprint(train), facts };
}

/** All, those that succeeded, or of these the ones that are worth most as examples. */
function wantedOf({ curate, successful }: SftInput, trajectories: readonly Trajectory[]): readonly Trajectory[] {
  if (curate === undefined) return successful ? trajectories.filter(({ success }) => success === true) : trajectories;
  const chosen = chooseTrajectories(trajectories, curate);
  return trajectories.filter(({ id }) => chosen.has(id));
}

async function readTrajectories({ lenient }: SftInput, context: SftContext, sources: readonly Given[]) {
  const { signal } = context;
  const trajectories: Trajectory[] = [];
  let [skipped, before] = [0, 0];
  const total = sum(sources.map(({ bytes }) => bytes));
  const progress = context.progress({ label: "Reading", total, unit: "bytes" });
  try {
    for (const [at, { path, bytes, format }] of sources.entries()) {
      const stream = format.read(path, {
        lenient,
        signal,
        onProgress: (done) => progress.update(before + done),
        onSkip: (skip) => {
          skipped += 1;
          context.emit({ event: "skip", ...skip });
        },
      });
      for await (const trajectory of stream) {
        throwIfAborted(signal);
        // Two files may use the same ids; branches find their parents within their own file.
        trajectories.push(sources.length === 1 ? trajectory : renamed(trajectory, at));
      }
      before += bytes;
    }
  } finally {
    progress.end();
  }
  return { trajectories, skipped };
}

function renamed(trajectory: Trajectory, file: number): Trajectory {
  const { id, parent } = trajectory;
  const own = parent === undefined ? {} : { parent: { ...parent, trajectory: `${file}/${parent.trajectory}` } };
  return { ...trajectory, id: `${file}/${id}`, ...own };
}

function fingerprint(rows: readonly TrainRow[]): string {
  const hash = createHash("sha256");
  for (const { ids, mask } of rows) hash.update(String(ids.length)).update(ids).update(mask);
  return hash.digest("hex").slice(0, 16);
}

interface Work {
  readonly input: SftInput;
  readonly settings: SftSettings;
  readonly rows: Rows;
  readonly out: string;
  readonly resume: boolean;
}

async function learn(
  model: LocalModel,
  { input, settings, rows, out, resume }: Work,
  context: SftContext,
): Promise<number | undefined> {
  const { schedule: kind, learningRate, warmupSteps, clipNorm, weightDecay, batchRows, seed } = settings;
  const { train, heldOut, fingerprint: data, facts } = rows;
  const { signal } = context;
  const steps = input.steps ?? Math.ceil(train.length / batchRows) * input.epochs;
  const plan: SftProgress = { step: 0, steps, settings, data };
  const from = resume ? resumedStep(model.progress, plan) : 0;
  const schedule = createSchedule({ kind, learningRate, steps, warmupSteps });
  const measure = objectives["cross-entropy"].create();
  const before = heldOut.length === 0 ? {} : { heldOutLoss: await meanLoss(model, heldOut, measure) };
  context.emit({ event: "start", ...facts, parameters: model.core.gradient.length, from, steps, ...before });
  let done = from;
  const save = async (): Promise<void> => {
    // With quantised weights the adapter is all that there is to write.
    if (model.weights.frozen === undefined) await model.save(out, { progress: { ...plan, step: done } });
    if (model.adapter !== undefined) await saveAdapter(out, model.adapter, { base: input.model ?? "" });
  };
  const progress = context.progress({ label: "Training", total: steps });
  try {
    const heldOutLoss = await trainSupervised(model, train, {
      ...learning(model, settings, measure, signal),
      schedule,
      steps,
      from,
      batchRows,
      seed,
      ...(clipNorm === 0 ? {} : { clipNorm }),
      weightDecay,
      heldOut,
      evaluateEvery: input.evaluateEvery,
      onStep: async (report) => {
        done = report.step;
        context.emit({ event: "step", ...report });
        progress.update(done, `loss ${report.loss.toPrecision(4)}`);
        if (done % input.saveEvery === 0 && done < steps) await save();
      },
      signal,
    });
    await save();
    await saveMerged(model, input, context);
    return heldOutLoss;
  } catch (error) {
    // Ctrl-C keeps what was learned: an update is either done or it never happened.
    if (isAbort(error) && done > from) await save();
    throw error;
  } finally {
    progress.end();
  }
}

/** Draws of one token before every update; cross-entropy otherwise. Held-out rows are always measured by that. */
function learning(
  model: LocalModel,
  { objective, seed }: SftSettings,
  measure: Objective,
  signal: AbortSignal,
): Pick<SupervisedOptions, "objective" | "measure" | "prepare"> {
  if (objective === undefined) return { objective: measure };
  const { vocabularySize } = model.config;
  const rng = createRng(seed).split("one token");
  const drawing = { count: 64, temperature: 1.3, addGold: true, vocabularySize, signal };
  return {
    objective: allObjectives.otr.create(),
    measure,
    prepare: (batch, step) => oneTokenRows(model, batch, { ...drawing, rng: rng.split(step) }),
  };
}

async function saveMerged({ adapter }: LocalModel, input: SftInput, context: SftContext): Promise<void> {
  if (input.merged === undefined || adapter === undefined) return;
  const whole = await givenModel("sft", input, context, { weights: "float32" });
  try {
    mergeAdapter(whole.config, whole.weights, adapter);
    await whole.save(resolve(context.cwd, input.merged), { optimiser: false });
  } finally {
    await whole.close();
  }
}

/** What is saved with the model. */
interface SftProgress {
  readonly step: number;
  readonly steps: number;
  readonly settings: SftSettings;
  /** Fingerprint of the rows. */
  readonly data: string;
}

/**
 * The place to go on from. A run with other settings or other rows would not be the same run; only the number of updates
 * may change, and that only where the learning rate does not depend on it.
 */
function resumedStep(saved: unknown, wanted: SftProgress): number {
  const found = saved as Partial<SftProgress> | undefined;
  if (found?.settings === undefined || !Number.isSafeInteger(found.step)) {
    throw new EngineError(
      "no-progress",
      "The folder holds no training of limbeck sft to resume; give another --out, or leave --resume out.",
    );
  }
  const texts = (settings: SftSettings) =>
    new Map(Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)]));
  const [held, given] = [texts(found.settings), texts(wanted.settings)];
  const differing = [...new Set([...given.keys(), ...held.keys()])].flatMap((name) =>
    held.get(name) === given.get(name) ? [] : [`${name} was ${held.get(name)}`],
  );
  if (found.data !== wanted.data) differing.push("the rows were others");
  if (found.steps !== wanted.steps && wanted.settings.schedule !== "constant") {
    differing.push(`steps was ${found.steps}, on which the schedule "${wanted.settings.schedule}" depends`);
  }
  if (differing.length === 0) return found.step as number;
  throw new EngineError(
    "resume-differs",
    `The training in the folder is another one: ${differing.join("; ")}. Repeat its command with --resume, or give another --out.`,
  );
}
