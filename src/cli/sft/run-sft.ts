/** A supervised training from the command line: open, read, train, save. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createRng, EngineError, errorCode, isAbort } from "../../base/index.ts";
import { saveAdapter } from "../../policy/local/adapter-files.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import { createAdapter, mergeAdapter } from "../../policy/local/lora.ts";
import { createSchedule, type Objective } from "../../policy/index.ts";
import {
  meanLoss,
  objectives,
  trainSupervised,
  type SupervisedOptions,
  type SupervisedReport,
} from "../../objective/index.ts";
import { oneTokenRows } from "../../objective/one-token-rows.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatCount, formatDuration, formatNumber, plural } from "../look/units.ts";
import { givenCount, givenWeights, neededPath, openGiven } from "../model/open-given.ts";
import type { WeightKind } from "../../policy/local/quantised/kinds.ts";
import { usageError } from "../parse.ts";
import { findSources, readRows, type Rows } from "./read-rows.ts";
import { givenSettings, resumedStep, type SftProgress, type SftSettings } from "./settings.ts";

export async function runSft(invocation: Invocation): Promise<number> {
  const started = invocation.io.now();
  const settings = givenSettings(invocation);
  const out = neededPath(invocation, "sft", "out", "DIR, a folder for the trained model");
  const there = await exists(out);
  const resume = invocation.flag("resume") && there;
  if (there && !resume) {
    throw new EngineError(
      "target-exists",
      `"${invocation.text("out")}" is there already. Give --resume to continue it, or another --out.`,
    );
  }
  const sources = await findSources(invocation);
  const model = await openTrained(invocation, settings, resume ? out : undefined);
  try {
    const rows = await readRows(invocation, model, sources, settings.seed);
    const heldOutLoss = await train(invocation, model, { settings, rows, out, resume });
    const { step } = model.progress as unknown as SftProgress;
    const durationMs = Math.round(invocation.io.now() - started);
    const measured = heldOutLoss === undefined ? {} : { heldOutLoss };
    if (invocation.json) invocation.printJson({ event: "end", step, ...measured, out, durationMs });
    const held = heldOutLoss === undefined ? "" : `, held-out loss ${formatNumber(heldOutLoss)}`;
    const { style } = invocation;
    const name = style.cyan(cleanLine(invocation.text("out") ?? ""));
    invocation.print(
      `${style.green("✓")} ${plural(step, "update")} in ${name}${held} ${style.dim(`(${formatDuration(durationMs)})`)}`,
    );
  } finally {
    await model.close();
  }
  return EXIT.done;
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === "ENOENT") return false;
      throw error;
    },
  );
}

/** The base model, or the one that is continued, with a fresh adapter where one is to learn. */
async function openTrained(
  invocation: Invocation,
  { lora, seed }: SftSettings,
  resumed: string | undefined,
): Promise<LocalModel> {
  const base = neededPath(invocation, "sft", "model", "DIR, a model folder or GGUF file");
  return openGiven(invocation, "sft", {
    folder: resumed ?? base,
    resume: resumed !== undefined,
    weights: learnedWeights(invocation, lora !== null, resumed !== undefined),
    ...(lora === null ? {} : { adapter: (config) => createAdapter(config, { ...lora, seed }) }),
  });
}

/** Float32, unless an adapter learns on weights that are asked for in few bits. */
function learnedWeights(invocation: Invocation, adapted: boolean, resumes: boolean): WeightKind {
  const asked = givenWeights(invocation) ?? "float32";
  if (asked === "float32" || asked === "auto") return "float32";
  if (!adapted) throw usageError(`--weights ${asked} cannot learn; give --lora RANK too, or --weights float32.`);
  if (!resumes) return asked;
  throw usageError(
    `--resume continues a folder with float32 weights; with --weights ${asked} only the adapter is kept.`,
  );
}

interface Work {
  readonly settings: SftSettings;
  readonly rows: Rows;
  readonly out: string;
  readonly resume: boolean;
}

async function train(
  invocation: Invocation,
  model: LocalModel,
  { settings, rows, out, resume }: Work,
): Promise<number | undefined> {
  const perEpoch = Math.ceil(rows.train.length / settings.batchRows);
  const steps = givenCount(invocation, "steps", perEpoch * givenCount(invocation, "epochs", 1));
  const plan: SftProgress = { step: 0, steps, settings, data: rows.fingerprint };
  const from = resume ? resumedStep(model.progress, plan) : 0;
  const { schedule: kind, learningRate, warmupSteps, clipNorm, weightDecay, batchRows, seed } = settings;
  const schedule = createSchedule({ kind, learningRate, steps, warmupSteps });
  const measure = objectives["cross-entropy"].create();
  const before = rows.heldOut.length === 0 ? undefined : await meanLoss(model, rows.heldOut, measure);
  sayStart(invocation, model, rows, { from, steps, before });
  let done = from;
  const save = async (): Promise<void> => {
    // With quantised weights the adapter is all that there is to write.
    if (model.weights.frozen === undefined) await model.save(out, { progress: { ...plan, step: done } });
    await saveAdapterBeside(invocation, model, out);
  };
  const saveEvery = givenCount(invocation, "save-every", 100);
  const progress = invocation.progress({ label: "Training", total: steps });
  const onStep = async (report: SupervisedReport): Promise<void> => {
    done = report.step;
    if (invocation.json) invocation.printJson({ event: "step", ...report });
    progress.update(done, `loss ${formatNumber(report.loss)}`);
    if (done % saveEvery === 0 && done < steps) await save();
  };
  try {
    const heldOutLoss = await trainSupervised(model, rows.train, {
      ...learning(model, settings, measure, invocation.io.signal),
      schedule,
      steps,
      from,
      batchRows,
      seed,
      ...(clipNorm === 0 ? {} : { clipNorm }),
      weightDecay,
      heldOut: rows.heldOut,
      evaluateEvery: givenCount(invocation, "evaluate-every", 50),
      onStep,
      signal: invocation.io.signal,
    });
    await save();
    await saveMerged(invocation, model);
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
    objective: objectives.otr.create(),
    measure,
    prepare: (batch, step) => oneTokenRows(model, batch, { ...drawing, rng: rng.split(step) }),
  };
}

function sayStart(
  invocation: Invocation,
  model: LocalModel,
  rows: Rows,
  { from, steps, before }: { readonly from: number; readonly steps: number; readonly before: number | undefined },
): void {
  const parameters = model.core.gradient.length;
  const measured = before === undefined ? {} : { heldOutLoss: before };
  if (invocation.json) {
    invocation.printJson({
      event: "start",
      trajectories: rows.trajectories,
      rows: rows.train.length,
      heldOutRows: rows.heldOut.length,
      tokens: rows.tokens,
      trainedTokens: rows.trainedTokens,
      exactTrajectories: rows.exact,
      cutRows: rows.cut,
      emptyRows: rows.empty,
      skipped: rows.skipped,
      parameters,
      from,
      steps,
      ...measured,
    });
  }
  const already = from === 0 ? "" : `, ${from} done before`;
  invocation.note(
    `${plural(rows.train.length, "row")}, ${plural(rows.trainedTokens, "trained token")} of ${formatCount(rows.tokens)}; ${plural(parameters, "parameter")} learn; ${plural(steps, "update")}${already}`,
  );
  if (before !== undefined) {
    invocation.note(`Held-out loss at the start: ${formatNumber(before)} (${plural(rows.heldOut.length, "row")})`);
  }
  if (rows.cut > 0)
    invocation.note(`${plural(rows.cut, "row")} cut at the end; --max-tokens and the model's context say where.`);
  if (rows.empty > 0) invocation.note(`${plural(rows.empty, "row")} left out: nothing in them is trained on.`);
}

async function saveAdapterBeside(invocation: Invocation, model: LocalModel, out: string): Promise<void> {
  if (model.adapter === undefined) return;
  await saveAdapter(out, model.adapter, { base: invocation.text("model") ?? "" });
}

async function saveMerged(invocation: Invocation, model: LocalModel): Promise<void> {
  const given = invocation.text("merged");
  if (given === undefined || model.adapter === undefined) return;
  const whole = await openGiven(invocation, "sft", { weights: "float32" });
  try {
    mergeAdapter(whole.config, whole.weights, model.adapter);
    await whole.save(resolve(invocation.io.cwd, given), { optimiser: false });
  } finally {
    await whole.close();
  }
}
