/** The kinds of lessons a starting policy is cloned from; each is one readable function. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng, Env, Task } from "limbeck";
import type { Seen } from "limbeck/env";
import { appliances } from "../../packages/worlds/src/household/families.ts";
import { readGoal } from "../../packages/worlds/src/household/goal.ts";
import { NO_ADVICE, type Advice } from "./advice.ts";
import { startFollower } from "./follower.ts";
import { writeHint, writeWarning } from "./hint-words.ts";
import { writeIdle } from "./idle-words.ts";
import { playLesson, type Choice, type Lesson, type LessonKind } from "./lesson.ts";
import { startNovice } from "./novice.ts";
import { lessonsOfFailure, tryGame, withoutDetours, type Try } from "./scouting.ts";
import { writeAvoidance, writeGeneral, writeWorkflow } from "./skill-words.ts";

/** Shares of the lessons; the sum of each set is 1. */
const SHARES = {
  /** The first stages: what advice is. */
  advice: [
    ["unadvised", 0.33],
    ["workflow", 0.3],
    ["general", 0.07],
    ["avoidance", 0.16],
    ["hints", 0.11],
    ["misleading", 0.03],
  ],
  /** The last stages: what it is not. */
  idle: [
    ["unadvised", 0.24],
    ["workflow", 0.23],
    ["general", 0.07],
    ["avoidance", 0.13],
    ["hints", 0.09],
    ["misleading", 0.04],
    ["idle", 0.2],
  ],
  emptier: [
    ["unadvised", 0.2],
    ["workflow", 0.2],
    ["general", 0.06],
    ["avoidance", 0.12],
    ["hints", 0.08],
    ["misleading", 0.04],
    ["idle", 0.3],
  ],
} as const satisfies Readonly<Record<string, readonly (readonly [LessonKind, number])[]>>;
export type LessonSet = keyof typeof SHARES;

/** After this many idle steps most unadvised episodes are cut: the rest teaches nothing new. */
const IDLE_STEPS = 3;

type Make = (env: Env, task: Task, rng: Rng) => Promise<Lesson>;

const makers: Readonly<Record<LessonKind, Make>> = {
  unadvised,
  workflow,
  general,
  avoidance,
  hints,
  misleading,
  idle,
};

export async function makeLesson(env: Env, task: Task, rng: Rng, set: LessonSet = "advice"): Promise<Lesson> {
  let left = rng.float();
  const [kind] = SHARES[set].find(([, share]) => (left -= share) < 0) ?? SHARES[set][0];
  return makers[kind](env, task, rng.split(kind));
}

async function unadvised(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  return playLesson(env, task, "unadvised", { choose: byNovice(task, rng, () => undefined) });
}

/** A text that advises nothing changes nothing: the novice plays as if it were not there. */
async function idle(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const words = rng.split("words");
  const where = rng.float();
  const hinted = rng.split("hinted");
  const hint = (): string | undefined => (where > 0.6 && hinted.float() < 0.3 ? writeIdle(words) : undefined);
  return playLesson(env, task, "idle", {
    ...(where < 0.8 ? { skill: writeIdle(words) } : {}),
    choose: byNovice(task, rng, hint),
  });
}

function byNovice(task: Task, rng: Rng, hintNow: () => string | undefined): (seen: Seen) => Choice {
  const novice = startNovice(task.goal, rng.split("novice"));
  const cut = rng.float() < 0.7;
  let idleSteps = 0;
  return (seen) => {
    const action = novice.next(seen);
    idleSteps += novice.idle ? 1 : 0;
    const hint = hintNow();
    return { action, stop: cut && idleSteps > IDLE_STEPS, ...(hint === undefined ? {} : { hint }) };
  };
}

/** A list of commands that led to success in this game, in full, with its detours, without its walks, or in part. */
async function workflow(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const plan = await scoutPlan(env, task, rng);
  const draw = rng.float();
  const told =
    draw < 0.2 ? plan.filter((command) => !command.startsWith("go to ")) : draw < 0.35 ? part(plan, rng) : plan;
  const skill = writeWorkflow(told, rng.split("words"), "trained");
  return playLesson(env, task, "workflow", { skill, choose: follow(task, told, NO_ADVICE, rng) });
}

async function scoutPlan(env: Env, task: Task, rng: Rng): Promise<readonly string[]> {
  const scout = await tryGame(env, task, rng.split("scout"), true);
  return rng.float() < 0.7 ? withoutDetours(scout.actions) : scout.actions;
}

function part(plan: readonly string[], rng: Rng): readonly string[] {
  const from = rng.int(Math.max(1, plan.length - 1));
  const some = rng.float() < 0.6 ? plan.slice(from) : plan.slice(0, from + 1);
  return some.length === 0 ? plan : some;
}

async function general(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const goal = readGoal(task.goal);
  const appliance = goal.treatment === undefined ? undefined : appliances[goal.treatment].toLowerCase();
  const skill = writeGeneral(goal, appliance, rng.split("words"), "trained");
  const knowing = startNovice(task.goal, rng.split("knowing"), { knows: true });
  return playLesson(env, task, "general", { skill, choose: astray(task, rng, (seen) => knowing.next(seen)) });
}

/** A rule from a failed try: what to leave, in most cases also what to do, in some the way of one that succeeded. */
async function avoidance(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const failed = await failedTry(env, task, rng);
  if (failed === undefined) return workflow(env, task, rng);
  const { instead, ...rest } = lessonsOfFailure(failed);
  const draw = rng.float();
  const positive = instead !== undefined && draw < 0.65;
  const plan = draw > 0.35 && draw < 0.85 ? await scoutPlan(env, task, rng) : [];
  // As brief as the analyst: one fault of a kind beside a way that works, a few without one.
  const most = plan.length > 0 ? 1 : 3;
  const faults = Object.fromEntries(
    Object.entries(rest).map(([fault, commands]) => [
      fault,
      commands
        .filter((command) => !plan.includes(command))
        .slice(0, fault !== "tried" ? most : plan.length > 0 ? 0 : 2 * most),
    ]),
  );
  const told = { ...faults, ...(positive ? { instead } : {}), workflow: plan };
  const skill = writeAvoidance(told, rng.split("words"), "trained");
  const avoided = [...rest.refused, ...rest.useless, ...rest.repeated, ...(positive ? [instead.did] : [])];
  const advice = { preferred: positive ? [instead.sibling] : [], avoided };
  return playLesson(env, task, "avoidance", {
    ...(skill === "" ? {} : { skill }),
    choose: follow(task, plan, advice, rng),
  });
}

async function failedTry(env: Env, task: Task, rng: Rng): Promise<Try | undefined> {
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const tried = await tryGame(env, task, rng.split(`failed ${attempt}`), false);
    if (!tried.success) return tried;
  }
  return undefined;
}

/** Poor advice is followed too: the commands of a failed try. So the words of a skill count, not that there is one. */
async function misleading(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const failed = await failedTry(env, task, rng);
  if (failed === undefined) return workflow(env, task, rng);
  const plan = failed.actions.filter((action, at) => action !== failed.actions[at - 1]).slice(0, 8);
  const skill = writeWorkflow(plan, rng.split("words"), "trained");
  return playLesson(env, task, "misleading", { skill, choose: follow(task, plan, NO_ADVICE, rng) });
}

/** Follows the plan; where it says nothing, a novice who heard the same advice decides. */
function follow(
  task: Task,
  plan: readonly string[],
  advice: Advice,
  rng: Rng,
): (seen: Seen, episode: unknown, step: number) => Choice {
  const follower = startFollower(plan);
  const preferred = [...advice.preferred, ...plan];
  const novice = startNovice(task.goal, rng.split("novice"), { advice: { ...advice, preferred } });
  return astray(task, rng, (seen) => follower.next(seen, novice.next(seen)));
}

/** Some episodes begin unadvised, and hands slip: the model must find back to its advice from wherever it is. */
function astray(
  task: Task,
  rng: Rng,
  next: (seen: Seen) => string,
): (seen: Seen, episode: unknown, step: number) => Choice {
  const stray = startNovice(task.goal, rng.split("stray"));
  const prefix = rng.float() < 0.3 ? 1 + rng.int(7) : 0;
  const slips = rng.split("slips");
  return (seen, _episode, step) => {
    const astrayAction = stray.next(seen);
    const action = next(seen);
    if (step < prefix) return { action: astrayAction, learnt: astrayAction === action };
    const slip = slips.float() < 0.04 ? pick(seen.admissible ?? [], slips) : undefined;
    return slip === undefined ? { action } : { action: slip, learnt: false };
  };
}

/** Hints before single decisions, good and poor alike, within a novice's episode: each changes that decision only. */
async function hints(env: Env, task: Task, rng: Rng): Promise<Lesson> {
  const novice = startNovice(task.goal, rng.split("novice"));
  const knowing = startNovice(task.goal, rng.split("knowing"), { knows: true });
  const often = pick([0.15, 0.4, 0.8], rng) as number;
  const words = rng.split("words");
  let idle = 0;
  return playLesson(env, task, "hints", {
    choose: (seen) => {
      const own = novice.next(seen);
      const best = knowing.next(seen);
      idle += novice.idle ? 1 : 0;
      if (rng.float() >= often) return { action: own, stop: idle > IDLE_STEPS };
      const draw = rng.float();
      if (draw < 0.5) return { action: best, hint: writeHint(best, words, "trained") };
      if (draw < 0.78) {
        const other = pick(seen.admissible ?? [], rng) ?? own;
        return { action: other, hint: writeHint(other, words, "trained") };
      }
      if (draw < 0.88 && own !== best) return { action: best, hint: writeWarning(own, best, words) };
      const left = novice.reconsider([own]) ?? best;
      return left === own ? { action: own } : { action: left, hint: writeWarning(own, undefined, words) };
    },
  });
}
