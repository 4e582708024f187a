/**
 * From demonstrations to lessons. A share of them is shown with advice, written as a teacher of OPID
 * reads it, and the advice is followed whether it is right or wrong: so the words of a skill count, not that there is one.
 */
import { createRng, drawWeighted, pick, shuffle, type Rng } from "limbeck-base/base/rng";
import { throwIfAborted } from "limbeck-base/base/errors";
import type { Env } from "limbeck-core/env/env";
import type { Dialect } from "limbeck-policy/policy/dialect";
import type { TrainRow } from "limbeck-policy/policy/objective";
import { augmentObservation, type InjectedSkills } from "limbeck-core/skill/injection";
import { avoidanceText, stepAdvice, workflowText } from "limbeck-core/skill/statistics/wording";
import type { Task, Trajectory } from "limbeck-base/trajectory/trajectory";
import { injectionOf } from "limbeck-core/update/agent";

/** plain: without advice. right, wrong: a way that is given at the opening and followed. hint: one before a single decision. */
export type LessonKind = "plain" | "right" | "wrong" | "hint";

export interface LessonStep {
  /** The message before it, with its advice. */
  readonly message: string;
  readonly action: string;
  readonly learnt: boolean;
}

export interface Lesson {
  readonly kind: LessonKind;
  readonly decisions: readonly LessonStep[];
}

/** A demonstration of one task. */
export interface KnownWay {
  readonly task: Task;
  readonly decisions: readonly Pick<LessonStep, "message" | "action">[];
}

export function shownBy({ task, steps }: Trajectory): KnownWay {
  return { task, decisions: steps.map(({ observation, action }) => ({ message: observation, action })) };
}

export function planOf({ decisions }: KnownWay): readonly string[] {
  return decisions.map(({ action }) => action);
}

/** What the world replies can be foretold in part: reading well helps acting well. The bundled models weigh it alike. */
const READING_WEIGHT = 0.15;

/** The same tokens that the policy will meet: decisions weigh 1, what the world replied a little, the opening nothing. */
export function rowOf({ decisions }: Lesson, dialect: Dialect): TrainRow {
  const ids: number[] = [];
  const weights: number[] = [];
  const add = (more: Int32Array, weight: number): void => {
    for (const id of more) {
      ids.push(id);
      weights.push(weight);
    }
  };
  for (const [at, { message, action, learnt }] of decisions.entries()) {
    if (at === 0) add(dialect.opening(message), 0);
    else add(dialect.turn(message), READING_WEIGHT);
    add(dialect.reply(action), learnt ? 1 : 0);
  }
  return {
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(weights, (weight) => (weight > 0 ? 1 : 0)),
    weights: Float64Array.from(weights),
  };
}

/** Of the lessons with advice. Wrong advice is rare in a training; a little of it is enough to make the words count. */
const KINDS: readonly (readonly [Exclude<LessonKind, "plain">, number])[] = [
  ["right", 0.6],
  ["wrong", 0.15],
  ["hint", 0.25],
];
/** Of the right ones: those that also say what to avoid, as after a failure. */
const AVOIDING_SHARE = 0.3;

export interface LessonOptions {
  readonly env: Env;
  /** Share of all lessons that have advice, below 1. */
  readonly adviceShare: number;
  readonly seed: number;
  readonly signal: AbortSignal;
}

/** Every episode once without advice, and as many with advice as the share asks for. */
export async function makeLessons(shown: readonly KnownWay[], options: LessonOptions): Promise<readonly Lesson[]> {
  const { adviceShare, seed, signal } = options;
  const rng = createRng(seed).split("lessons");
  const plain = shown.map(plainLesson);
  const count = Math.round((shown.length * adviceShare) / (1 - adviceShare));
  const order = shuffle([...shown.keys()], rng.split("order"));
  const advised: Lesson[] = [];
  for (let at = 0; at < count; at += 1) {
    throwIfAborted(signal);
    const one = shown[order[at % order.length] as number] as KnownWay;
    advised.push(await advisedLesson(one, shown, options.env, rng.split(at)));
  }
  return [...plain, ...advised];
}

/** A message with its advice. */
function advisedMessage(message: string, skills: InjectedSkills): string {
  return augmentObservation(message, skills, injectionOf({}));
}

/** The plan of another task, which leads astray here; undefined where all plans are the same. */
export function otherPlan(one: KnownWay, shown: readonly KnownWay[], rng: Rng): readonly string[] | undefined {
  const own = planOf(one).join("\n");
  for (let tries = 0; tries < 8; tries += 1) {
    const other = planOf(pick(shown, rng) as KnownWay);
    if (other.join("\n") !== own) return other;
  }
  return undefined;
}

function plainLesson({ decisions }: KnownWay): Lesson {
  return { kind: "plain", decisions: decisions.map((decision) => ({ ...decision, learnt: true })) };
}

async function advisedLesson(one: KnownWay, shown: readonly KnownWay[], env: Env, rng: Rng): Promise<Lesson> {
  const kind = drawWeighted(KINDS, rng) ?? "right";
  const other = otherPlan(one, shown, rng.split("other"));
  if (kind === "hint") return hintLesson(one, other, rng);
  if (kind === "wrong" && other !== undefined) return await wrongLesson(one, other, env);
  const plan = planOf(one);
  const wrong = other?.filter((action) => !plan.includes(action)) ?? [];
  const avoiding = rng.float() < AVOIDING_SHARE && wrong.length > 0;
  return advised(
    "right",
    plainLesson(one),
    avoiding ? avoidanceText({ refused: wrong.slice(0, 2), workflow: plan }) : workflowText(plan),
  );
}

function advised(kind: LessonKind, { decisions }: Lesson, episodeSkill: string): Lesson {
  return {
    kind,
    decisions: decisions.map((decision, at) =>
      at === 0 ? { ...decision, message: advisedMessage(decision.message, { episodeSkill }) } : decision,
    ),
  };
}

/** A way that worked elsewhere, given as if it had worked here and followed to its end. */
async function wrongLesson({ task }: KnownWay, plan: readonly string[], env: Env): Promise<Lesson> {
  const episode = await env.open(task);
  const decisions: Lesson["decisions"][number][] = [];
  try {
    for (const action of plan) {
      if (episode.ending !== undefined) break;
      decisions.push({ message: episode.observation, action, learnt: true });
      await episode.step(action);
    }
  } finally {
    await episode.close();
  }
  return advised("wrong", { kind: "wrong", decisions }, workflowText(plan));
}

/** The last decision is hinted at: mostly what a demonstrator would do, sometimes something else. Only it is learnt. */
function hintLesson({ decisions }: KnownWay, other: readonly string[] | undefined, rng: Rng): Lesson {
  const last = rng.int(decisions.length);
  const right = rng.float() < 0.6 || other === undefined;
  const past = decisions.slice(0, last).map((decision) => ({ ...decision, learnt: false }));
  const { message, action: own } = decisions[last] as KnownWay["decisions"][number];
  const action = right ? own : (pick(other, rng) ?? own);
  return {
    kind: "hint",
    decisions: [...past, { message: advisedMessage(message, { stepSkill: stepAdvice(action) }), action, learnt: true }],
  };
}
