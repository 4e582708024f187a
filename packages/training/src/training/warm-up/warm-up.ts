/** A model for a new world, from demonstrations: it stops where it succeeds now and then and follows advice. A training goes on from there. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { requireNew } from "limbeck-base/base/files";
import { createRng, shuffle } from "limbeck-base/base/rng";
import { EngineError } from "limbeck-base/base/errors";
import { type Running, startRunning } from "limbeck-base/base/running";
import type { Env } from "limbeck-core/env/env";
import { evaluationWords, evaluateAgent, type Evaluation, figureOf } from "limbeck-core/eval/evaluate";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { Policy } from "limbeck-policy/policy/policy";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { createChatDialect } from "limbeck-policy/policy/local/chat-dialect";
import type { LocalModel } from "limbeck-policy/policy/local/local-model";
import { requireTokenizer } from "limbeck-policy/policy/local/open-model";
import { createStrategy } from "limbeck-core/rollout/registry";
import { workflowText } from "limbeck-core/skill/statistics/wording";
import { skillOpening } from "limbeck-core/skill/injection";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { injectionOf } from "limbeck-core/update/agent";
import { tasksOf } from "limbeck-core/update/collect";
import { sharedSettings } from "limbeck-core/update/settings";
import { appendOnly, withOpening } from "limbeck-core/walk/mind/prompter";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import { createTokenAgent } from "limbeck-core/walk/mind/token-agent";
import { rollOut } from "limbeck-core/walk/line/roll-out";
import { heldOut, type OpenedWorld, openWorld } from "../parts.ts";
import { requireSplit } from "../played-splits.ts";
import { findBase, getsNewWords, learningRateFor, openBase } from "./base-model.ts";
import { above, type Baselines, measureBaselines } from "./baselines.ts";
import { type Learned, learnUntil, type Stopped } from "./learn-until.ts";
import { type Lesson, makeLessons, otherPlan, planOf, rowOf, type KnownWay, shownBy } from "./lesson.ts";
import { type Emit, planWarmUp, type WarmUpEvent, type WarmUpOptions, type WarmUpPlan } from "./options.ts";
import { checkWords, judge, requireRoom, type WarmUpVerdict, type WordCheck } from "./word-check.ts";

/** What a warmed-up model was made from, beside its weights: for people in README.md, for programs in warm-up.json. */
interface Card {
  readonly env: string;
  readonly base: string;
  /** The demonstrator. */
  readonly from: string;
  readonly demonstrations: number;
  readonly lessons: number;
  readonly adviceShare: number;
  readonly seed: number;
  readonly updates: number;
  readonly stopped: Stopped;
  readonly until: number;
  readonly learningRate: number;
  readonly batchRows: number;
  readonly parameters: number;
  /** Room that an answer needs in a training: its setting of that name, where it is above the default. */
  readonly answerTokens: number;
  readonly words: WordCheck;
  readonly measured: Measured;
  /** What can be had without learning; `until` counts from the better of the two. */
  readonly baselines: Baselines;
  readonly verdict: WarmUpVerdict;
  readonly seconds: number;
  readonly processorSeconds: number;
}

interface Measured {
  /** Without advice, as a training evaluates: temperature 0.4. */
  readonly none: Evaluation;
  /** The same at temperature 1, at which a training plays. */
  readonly sampled: Evaluation;
  /** With the way that works given at the opening, and with that of another task; missing without a demonstration. */
  readonly right?: Evaluation;
  readonly wrong?: Evaluation;
}

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
  await requireNew(folder, plan.out, "another folder for the model");
  const found = await findBase(plan.base);
  const { learningRate = learningRateFor(found) } = plan;
  const begun = { at: now(), processor: process.cpuUsage() };
  const world = await openWorld(plan);
  const { env, name } = world;
  const validation = await tasksOf(env, heldOut(env.splits, "valid"), 0, 2 * plan.tasks);
  const { shown, from, advisable } = await collectShown({ world, plan, validation, onEvent, signal });
  const tasks = validation.slice(0, plan.tasks);
  const baselines = await measureBaselines({ env, tasks, shown, seed, signal });
  onEvent({ kind: "baselines", ...baselines });
  const lessons = await makeLessons(shown, { env, adviceShare: plan.advice, seed, signal });
  const model = await openBase(found, { words: plan.words, threads: plan.threads, seed, lessons });
  const scratch = await mkdtemp(join(tmpdir(), "limbeck-warm-up-"));
  try {
    const { rows, words, player } = await prepare(model, lessons, { env, seed, onEvent, signal });
    const most = above(baselines, Math.max(MOST_SUCCESS, plan.until + BAND));
    const held = Math.min(rows.length - 1, Math.ceil(HELD_OUT_SHARE * rows.length));
    const { reason, updates }: Learned = await learnUntil({
      ...plan,
      learningRate,
      model,
      rows: rows.slice(held),
      heldOut: rows.slice(0, held),
      until: above(baselines, plan.until),
      evaluate: async (update) => {
        const evaluation = await play(player, tasks, { label: "Validation tasks" });
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
      baselines,
      verdict: judge(figuresOf(measured, baselines), { words, most, newWords: getsNewWords(found, plan.words) }),
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

function figuresOf({ none, right, wrong }: Measured, baselines: Baselines): Parameters<typeof judge>[0] {
  return {
    floor: baselines.floor,
    none: figureOf(none, "The validation"),
    right: right?.success ?? null,
    wrong: wrong?.success ?? null,
  };
}

// How a model does on tasks it has not learnt from: alone, with right advice, with wrong advice.

interface Player {
  readonly env: Env;
  readonly model: Policy;
  readonly dialect: Dialect;
  readonly answerTokens: number;
  readonly seed: number;
  readonly onEvent: Emit;
  readonly signal: AbortSignal;
}

/** As a training evaluates. */
const TEMPERATURE = 0.4;

interface Condition {
  readonly label: string;
  readonly temperature?: number;
  /** Advice by the id of a task. */
  readonly advice?: ReadonlyMap<string, string>;
}

async function play(player: Player, tasks: readonly Task[], condition: Condition): Promise<Evaluation> {
  const { env, model, dialect, answerTokens, seed, signal, onEvent } = player;
  const { label, temperature = TEMPERATURE, advice } = condition;
  const prompting =
    advice === undefined
      ? appendOnly
      : withOpening(
          appendOnly,
          skillOpening(({ id }) => advice.get(id), injectionOf({})),
        );
  const { evaluation } = await evaluateAgent({
    env,
    agent: createTokenAgent({ policy: model, dialect, temperature, answerTokens, prompting }),
    tasks,
    seed,
    signal,
    onProgress: (done, total) => onEvent({ kind: "progress", label, done, total }),
  });
  return evaluation;
}

async function measure(player: Player, tasks: readonly Task[], known: readonly KnownWay[]): Promise<Measured> {
  const none = await play(player, tasks, { label: "Without advice" });
  const sampled = await play(player, tasks, { label: "Without advice, temperature 1", temperature: 1 });
  if (known.length === 0) return { none, sampled };
  const rng = createRng(player.seed).split("wrong advice");
  const advised = async (
    label: string,
    planFor: (one: KnownWay) => readonly string[] | undefined,
  ): Promise<Evaluation> => {
    const plans = known.flatMap((one) => {
      const plan = planFor(one);
      return plan === undefined ? [] : [[one.task, workflowText(plan)] as const];
    });
    const advice = new Map(plans.map(([{ id }, text]) => [id, text]));
    return await play(
      player,
      plans.map(([task]) => task),
      { label, advice },
    );
  };
  const right = await advised("With right advice", planOf);
  const wrong = await advised("With wrong advice", (one) => otherPlan(one, known, rng));
  return { none, sampled, right, wrong };
}

// Demonstrations: of the world's demonstrator, or from recorded episodes.

interface Showing {
  readonly world: OpenedWorld;
  readonly plan: WarmUpPlan;
  /** Nothing is learnt from these. */
  readonly validation: readonly Task[];
  readonly onEvent: Emit;
  readonly signal: AbortSignal;
}

interface Collected {
  readonly from: string;
  readonly shown: readonly KnownWay[];
  /** Tasks that are not learnt from and whose way is known, for measuring what advice does. */
  readonly advisable: () => Promise<readonly KnownWay[]>;
}

/** Of recorded episodes, those kept for measuring what advice does. */
const KEPT_SHARE = 0.2;

async function collectShown(showing: Showing): Promise<Collected> {
  const { plan, world, validation, onEvent } = showing;
  if (plan.trajectories !== undefined) return recorded(showing, plan.trajectories);
  const { demonstrator, env } = world;
  if (demonstrator === undefined) {
    throw new EngineError(
      "needs-unmet",
      `The world ${world.name} has no demonstrator, so nobody shows the way. Give it one (demonstrators of defineWorld), recorded good runs (--from RUN), or a larger model that plays (--policy chat or a model folder).`,
      { details: { world: world.name } },
    );
  }
  const split = Object.hasOwn(env.splits, "train") ? "train" : (Object.keys(env.splits)[0] ?? "train");
  // A world with one split alone: what it is measured on comes first and is left out.
  const offset = validation[0]?.split === split ? validation.length : 0;
  requireSplit(env, split, "The warm-up", `Let its "splits" and tasks() give some to show the way in.`);
  const tasks = await tasksOf(env, split, offset, plan.demonstrations);
  if (tasks.length === 0) {
    throw new EngineError(
      "no-tasks",
      `The warm-up has no tasks: the world "${env.id}" has ${env.splits[split]} in its only split "${split}", and the first ${offset} are measured on. Give it more, or measure on fewer: --tasks N.`,
    );
  }
  const shown = await demonstrated(showing, tasks, "Demonstrations");
  onEvent({ kind: "shown", from: demonstrator.id, solved: shown.length, played: tasks.length });
  if (shown.length === 0) {
    throw new EngineError(
      "needs-unmet",
      `The demonstrator ${demonstrator.id} solved none of ${tasks.length} tasks of ${world.name}. Mend it: limbeck rollout --policy ${demonstrator.id} shows what it does.`,
      { details: { world: world.name, tasks: tasks.length } },
    );
  }
  return {
    from: `the demonstrator ${demonstrator.id}`,
    shown,
    advisable: () => demonstrated(showing, validation, "Ways to advise"),
  };
}

async function demonstrated(showing: Showing, tasks: readonly Task[], label: string): Promise<readonly KnownWay[]> {
  const { world, plan, onEvent, signal } = showing;
  const { trajectories } = await rollOut({
    env: world.env,
    agent: createDemonstratorAgent(world.demonstrator as NonNullable<OpenedWorld["demonstrator"]>),
    strategy: createStrategy("group", { size: 1 }),
    tasks,
    seed: `${plan.seed} demonstrations`,
    signal,
    onProgress: ({ episodes }) => onEvent({ kind: "progress", label, done: episodes, total: tasks.length }),
  });
  return trajectories.filter(succeeded).map(shownBy);
}

function recorded({ world, plan, validation, onEvent }: Showing, given: readonly Trajectory[]): Collected {
  const { env } = world;
  const measured = new Set(validation.map(({ id }) => id));
  const good = given.filter(succeeded);
  const own = good.filter(({ task }) => task.env === env.id && !measured.has(task.id));
  const from = plan.from ?? "recorded episodes";
  if (own.length === 0) {
    throw new EngineError(
      "bad-input",
      `Nobody shows the way: of ${given.length} episodes ${good.length} succeeded, and none of these is of a task of "${env.id}" that is not measured on. Give more of them, or a demonstrator.`,
      { details: { episodes: given.length, succeeded: good.length, world: env.id } },
    );
  }
  onEvent({ kind: "shown", from, solved: own.length, played: given.length });
  // Tasks, not episodes: several episodes of one task are not independent.
  const ids = [...new Set(own.map(({ task }) => task.id))];
  const kept = new Set(ids.slice(0, Math.min(validation.length, Math.floor(KEPT_SHARE * ids.length))));
  return {
    from,
    shown: own.filter(({ task }) => !kept.has(task.id)).map(shownBy),
    advisable: () =>
      Promise.resolve([...kept].map((id) => shownBy(own.find(({ task }) => task.id === id) as Trajectory))),
  };
}

/** A whole episode: of a branch the steps before it are elsewhere. */
function succeeded({ success, parent, steps }: Trajectory): boolean {
  return success === true && parent === undefined && steps.length > 0;
}

async function writeCard(folder: string, card: Card): Promise<void> {
  await writeFile(join(folder, "warm-up.json"), `${JSON.stringify(card, undefined, 2)}\n`);
  await writeFile(join(folder, "README.md"), cardText(card));
}

/** Names and texts come from files of others; on a card they stand on one line. */
function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}`|]+/gu, " ").slice(0, 200);
}

function cardText(card: Card): string {
  const { measured, baselines, verdict, words } = card;
  const rows: readonly (readonly [string, Evaluation | undefined])[] = [
    ["always the same answer", baselines.blind],
    ["an answer by lot", baselines.random],
    ["without advice", measured.none],
    ["without advice, temperature 1", measured.sampled],
    ["with right advice", measured.right],
    ["with wrong advice", measured.wrong],
  ];
  return [
    `# A starting model for ${oneLine(card.env)}`,
    "",
    "Made by `limbeck warm-up`. A training goes on from here: `limbeck train --model` and this folder.",
    "",
    `- base: ${oneLine(card.base)}, ${card.parameters.toLocaleString("en-GB")} parameters`,
    `- shown by: ${oneLine(card.from)}, ${card.demonstrations} episodes; ${card.lessons} lessons, ${(100 * card.adviceShare).toFixed(0)}% of them with advice`,
    `- ${card.updates} updates of ${card.batchRows} lessons at a rate of ${card.learningRate}, seed ${card.seed}; stopped: ${card.stopped}, wanted ${card.until}`,
    `- ${words.tokensPerWord.toFixed(1)} tokens a word, ${words.mostTokens} tokens in the longest lesson, ${words.mostAnswerTokens} in the longest answer`,
    `- ${card.seconds.toFixed(0)} s, ${card.processorSeconds.toFixed(0)} s of processor time`,
    "",
    "| validation tasks | success (95% interval) |",
    "| --- | --- |",
    ...rows.flatMap(([name, evaluation]) =>
      evaluation === undefined ? [] : [`| ${name} | ${oneLine(evaluationWords(evaluation))} |`],
    ),
    "",
    ...verdict.words.map(oneLine),
    "",
  ].join("\n");
}
