/**
 * A model for a new world: somebody shows the way, a small model learns to read and to act there, and stops where it
 * succeeds now and then and follows advice. From there a training goes on.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createRng, EngineError, shuffle, startRunning, type Running } from "../../base/index.ts";
import { isThere } from "../../base/files.ts";
import { figureOf } from "../../eval/index.ts";
import type { TrainRow } from "../../policy/index.ts";
import { createChatDialect, requireTokenizer, type LocalModel } from "../../policy/local/index.ts";
import { tasksOf } from "../../update/collect.ts";
import { sharedSettings } from "../../update/settings.ts";
import { heldOut, openWorld } from "../parts.ts";
import { findBase, getsNewWords, learningRateFor, openBase } from "./base-model.ts";
import { writeCard, type Card, type Measured } from "./card.ts";
import { learnUntil, type Learned } from "./learn-until.ts";
import { rowOf, type Lesson } from "./lesson.ts";
import { makeLessons } from "./lessons.ts";
import { measure, play, type Player } from "./measure.ts";
import { planWarmUp, type Emit, type WarmUpEvent, type WarmUpOptions, type WarmUpPlan } from "./options.ts";
import { collectShown } from "./shown.ts";
import { judge } from "./verdict.ts";
import { checkWords, requireRoom, type WordCheck } from "./word-check.ts";

export interface WarmedUp extends Card {
  /** Folder of the model, for `train({ model })`. */
  readonly model: string;
}

/** Above this little is left to learn from own attempts; where `until` lies near it or above, a band beyond that. */
const MOST_SUCCESS = 0.4;
const BAND = 0.15;
/** Lessons that are never trained on. */
const HELD_OUT_SHARE = 0.05;
/** Room for an answer beyond the longest that was shown. */
const SPARE_TOKENS = 4;

/**
 * Makes a model for a new world from one that has never read it.
 *
 * @example
 * import { mkdtemp } from "node:fs/promises";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { warmUp as makeModel } from "limbeck/training";
 *
 * const out = join(await mkdtemp(join(tmpdir(), "warm-")), "model");
 * const made = await makeModel({ env: "countdown", base: "household", out, demonstrations: 8, steps: 1, tasks: 1 });
 * console.log(made.demonstrations, made.measured.none.tasks); // 8 2
 */
export function warmUp(options: WarmUpOptions): Running<WarmedUp, WarmUpEvent> {
  return startRunning(async (emit) => await warm(planWarmUp(options), emit), options.onEvent);
}

async function warm(plan: WarmUpPlan, onEvent: Emit): Promise<WarmedUp> {
  const { now = () => performance.now(), signal = new AbortController().signal, seed } = plan;
  const folder = resolve(plan.out);
  await requireNew(folder, plan.out);
  const found = await findBase(plan.base);
  const { learningRate = learningRateFor(found) } = plan;
  const begun = { at: now(), processor: process.cpuUsage() };
  const world = await openWorld(plan);
  const { env, name } = world;
  const validation = await tasksOf(env, heldOut(env.splits, "valid"), 0, 2 * plan.tasks);
  const { shown, from, advisable } = await collectShown({ world, plan, validation, onEvent, signal });
  const lessons = await makeLessons(shown, { env, adviceShare: plan.advice, seed, signal });
  const model = await openBase(found, { words: plan.words, threads: plan.threads, seed, lessons });
  const scratch = await mkdtemp(join(tmpdir(), "limbeck-warm-up-"));
  try {
    const { rows, words, player } = await prepare(model, lessons, { env, seed, onEvent, signal });
    const most = Math.max(MOST_SUCCESS, plan.until + BAND);
    const held = Math.min(rows.length - 1, Math.ceil(HELD_OUT_SHARE * rows.length));
    const { reason, updates }: Learned = await learnUntil({
      ...plan,
      learningRate,
      model,
      rows: rows.slice(held),
      heldOut: rows.slice(0, held),
      evaluate: async (update) => {
        const evaluation = await play(player, validation.slice(0, plan.tasks), { label: "Validation tasks" });
        onEvent({ kind: "evaluation", update, evaluation });
        return evaluation;
      },
      most,
      updates: plan.steps,
      scratch,
      onUpdate: ({ step, loss }) => onEvent({ kind: "update", update: step, updates: plan.steps, loss }),
      signal,
    });
    const measured = await measure(player, validation, await advisable());
    const { user, system } = process.cpuUsage(begun.processor);
    const { base, until, batchRows, advice: adviceShare } = plan;
    const card: Card = {
      env: name,
      base,
      from,
      demonstrations: shown.length,
      lessons: lessons.length,
      adviceShare,
      seed,
      updates,
      stopped: reason,
      until,
      learningRate,
      batchRows,
      parameters: model.weights.flat.length,
      answerTokens: Math.max(sharedSettings.answerTokens.default, words.mostAnswerTokens),
      words,
      measured,
      verdict: judge(figuresOf(measured), { words, most, newWords: getsNewWords(found, plan.words) }),
      seconds: (now() - begun.at) / 1_000,
      processorSeconds: (user + system) / 1e6,
    };
    await model.save(folder, { optimiser: false, progress: {} });
    await writeCard(folder, card);
    return { ...card, model: folder };
  } finally {
    await model.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Lessons as the model reads them; those that do not fit its context are left out. */
async function prepare(
  model: LocalModel,
  lessons: readonly Lesson[],
  place: Pick<Player, "env" | "seed" | "onEvent" | "signal">,
): Promise<{ readonly rows: readonly TrainRow[]; readonly words: WordCheck; readonly player: Player }> {
  const tokenizer = requireTokenizer(model);
  const dialect = await createChatDialect(tokenizer);
  const { contextLength } = model.config;
  const all = lessons.map((lesson) => rowOf(lesson, dialect));
  const words = checkWords(lessons, all, { tokenizer, dialect, contextLength });
  place.onEvent({ kind: "words", words });
  requireRoom(words);
  const fitting = all.filter(({ ids }) => ids.length <= contextLength);
  return {
    rows: shuffle(fitting, createRng(place.seed).split("held out")),
    words,
    // Longer ones are no actions of this world: a model that rambles at first must not cost the time of one that writes.
    player: { ...place, model, dialect, answerTokens: words.mostAnswerTokens + SPARE_TOKENS },
  };
}

function figuresOf({ none, right, wrong }: Measured): Parameters<typeof judge>[0] {
  return {
    none: figureOf(none, "The validation"),
    right: right?.success ?? null,
    wrong: wrong?.success ?? null,
  };
}

async function requireNew(folder: string, out: string): Promise<void> {
  if (!(await isThere(folder))) return;
  throw new EngineError("target-exists", `"${out}" is there already. Give another folder for the model.`, {
    details: { out },
  });
}
