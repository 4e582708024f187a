/** The kinds of lessons in a world that tells what its novice may think of; each is one readable function. */
import { drawWeighted, pick } from "../../../packages/base/src/base/rng.ts";
import type { Rng, Env, Task } from "limbeck";
import type { Seen } from "limbeck/env";
import { writeHint, writeWarning } from "../hint-words.ts";
import { writeIdle } from "../idle-words.ts";
import { playLesson, type Choice, type Lesson, type LessonKind } from "../lesson.ts";
import { writeAvoidance, writeWorkflow, type WordingSet } from "../skill-words.ts";
import type { Moment, StartingWorld } from "./starting-world.ts";

type Kind = Exclude<LessonKind, "general">;

/** Shares of the lessons; their sum is 1. */
const SHARES: readonly (readonly [Kind, number])[] = [
  ["unadvised", 0.28],
  ["workflow", 0.33],
  ["avoidance", 0.11],
  ["hints", 0.13],
  ["misleading", 0.03],
  ["idle", 0.12],
];

interface Setting {
  readonly world: StartingWorld;
  readonly env: Env;
  readonly task: Task;
  readonly rng: Rng;
}

const makers: Readonly<Record<Kind, (lesson: Setting) => Promise<Lesson>>> = {
  unadvised,
  workflow,
  avoidance,
  hints,
  misleading,
  idle,
};

export async function makeWorldLesson(world: StartingWorld, env: Env, task: Task, rng: Rng): Promise<Lesson> {
  let left = rng.float();
  const [kind] = SHARES.find(([, share]) => (left -= share) < 0) ?? ["unadvised" as const];
  return makers[kind]({ world, env, task, rng: rng.split(kind) });
}

async function unadvised({ world, env, task, rng }: Setting): Promise<Lesson> {
  return playLesson(env, task, "unadvised", { choose: novice(world, task, rng) });
}

/** A text that advises nothing changes nothing. */
async function idle({ world, env, task, rng }: Setting): Promise<Lesson> {
  const words = rng.split("words");
  const where = rng.float();
  const own = novice(world, task, rng);
  return playLesson(env, task, "idle", {
    ...(where < 0.8 ? { skill: writeIdle(words) } : {}),
    choose: (seen) => ({ ...own(seen), ...(where > 0.6 && words.float() < 0.4 ? { hint: writeIdle(words) } : {}) }),
  });
}

/** What worked in this task, whole or in part, by one who does what it says. */
async function workflow(lesson: Setting): Promise<Lesson> {
  const { world, env, task, rng } = lesson;
  const plan = await scout(lesson);
  if (plan.length === 0) return unadvised(lesson);
  const told = rng.float() < 0.15 ? part(plan, rng) : plan;
  const skill = tellWorkflow(world, told, rng.split("words"), "trained");
  return playLesson(env, task, "workflow", { skill, choose: astray(lesson, follow(lesson, told, [])) });
}

/** What a failed try did, and mostly what worked instead. */
async function avoidance(lesson: Setting): Promise<Lesson> {
  const { env, task, rng } = lesson;
  const failed = await failedTry(lesson);
  if (failed === undefined) return workflow(lesson);
  const plan = rng.float() < 0.7 ? await scout(lesson) : [];
  const wrong = [...new Set(failed.filter(({ action, best }) => action !== best).map(({ action }) => action))];
  const first = failed.find(({ action, best }) => action !== best);
  const tried = wrong.filter((action) => !plan.includes(action)).slice(0, plan.length > 0 ? 2 : 4);
  const positive = first !== undefined && rng.float() < 0.5;
  const skill = writeAvoidance(
    {
      tried,
      ...(positive ? { instead: { did: first.action, sibling: first.best } } : {}),
      workflow: plan,
    },
    rng.split("words"),
    "trained",
  );
  const preferred = [...plan, ...(positive ? [first.best] : [])];
  return playLesson(env, task, "avoidance", {
    ...(skill === "" ? {} : { skill }),
    choose: astray(lesson, follow(lesson, preferred, tried)),
  });
}

/** Poor advice is followed too: so the words of a skill count, not that there is one. */
async function misleading(lesson: Setting): Promise<Lesson> {
  const { world, env, task, rng } = lesson;
  const plan = await failedPlan(lesson);
  if (plan === undefined) return workflow(lesson);
  const skill = tellWorkflow(world, plan, rng.split("words"), "trained");
  // To the letter where every text is a possible action: what the failed try wrote may come to nobody's mind again.
  return playLesson(env, task, "misleading", { skill, choose: follow(lesson, plan, [], world.freeText) });
}

/** Hints before single decisions, good and poor alike: each changes that decision only. */
async function hints({ world, env, task, rng }: Setting): Promise<Lesson> {
  const mind = world.start(task, rng.split("mind"));
  const often = pick([0.2, 0.5, 0.9], rng) as number;
  const words = rng.split("words");
  return playLesson(env, task, "hints", {
    choose: (seen) => {
      const moment = mind.see(seen);
      const { best } = moment;
      const own = draw(moment, rng);
      if (rng.float() >= often) return { action: own };
      const kind = rng.float();
      const told = kind < 0.6 ? best : draw(moment, rng);
      if (kind < 0.85)
        return { action: told, hint: writeHint(reworded(world, told, words, "trained"), words, "trained") };
      if (kind < 0.93 && own !== best) return { action: best, hint: writeWarning(own, best, words) };
      const left = draw(moment, rng, [own]);
      return left === own ? { action: own } : { action: left, hint: writeWarning(own, undefined, words) };
    },
  });
}

/** The commands of one who knows, in this task; none where even that fails. */
export async function scout({ world, env, task, rng }: Setting): Promise<readonly string[]> {
  const tried = await attempt({ world, env, task, rng: rng.split("scout") }, (moment) => moment.best);
  return tried.success ? world.essential(tried.map(({ action }) => action)) : [];
}

/** What a novice did who failed, without what did not matter; undefined where it never fails. */
export async function failedPlan(lesson: Setting): Promise<readonly string[] | undefined> {
  const failed = await failedTry(lesson);
  return failed === undefined ? undefined : lesson.world.essential(failed.map(({ action }) => action));
}

interface Tried {
  readonly action: string;
  readonly best: string;
}

async function failedTry(lesson: Setting): Promise<readonly Tried[] | undefined> {
  for (let at = 0; at < 4; at += 1) {
    const rng = lesson.rng.split(`failed ${at}`);
    const tried = await attempt({ ...lesson, rng }, (moment) => draw(moment, rng));
    if (!tried.success) return tried;
  }
  return undefined;
}

async function attempt(
  { world, env, task, rng }: Setting,
  choose: (moment: Moment) => string,
): Promise<Tried[] & { success: boolean }> {
  const episode = await env.open(task);
  const mind = world.start(task, rng);
  const tried: Tried[] = [];
  while (episode.ending === undefined) {
    const { observation } = episode;
    const moment = mind.see({ action: tried.at(-1)?.action, observation, admissible: episode.admissible() });
    tried.push({ action: choose(moment), best: moment.best });
    await episode.step(tried.at(-1)?.action ?? "");
  }
  const success = episode.success === true;
  await episode.close();
  return Object.assign(tried, { success });
}

function novice(world: StartingWorld, task: Task, rng: Rng): (seen: Seen) => Choice {
  const mind = world.start(task, rng.split("mind"));
  return (seen) => ({ action: draw(mind.see(seen), rng) });
}

/** Does what the plan says as soon as it comes up; where it says nothing, a novice decides. */
function follow(
  { world, task, rng }: Setting,
  plan: readonly string[],
  avoided: readonly string[],
  literally = false,
): (seen: Seen) => Choice {
  const mind = world.start(task, rng.split("mind"));
  const left = [...plan];
  return (seen) => {
    const done = seen.action === undefined ? -1 : left.indexOf(seen.action);
    if (done >= 0) left.splice(0, done + 1);
    const moment = mind.see(seen);
    const possible = new Set([moment.best, ...moment.ways.map(({ command }) => command)]);
    const next = literally
      ? left[0]
      : (left.find((command) => possible.has(command)) ?? (plan.includes(moment.best) ? moment.best : undefined));
    return { action: next ?? draw(moment, rng, avoided) };
  };
}

/** Hands slip: the model must find back to its advice from wherever it is. What slipped is not learnt. */
function astray({ world, task, rng }: Setting, next: (seen: Seen) => Choice): (seen: Seen) => Choice {
  const mind = world.start(task, rng.split("stray"));
  const slips = rng.split("slips");
  const chance = pick([0, 0, 0.05, 0.15], slips) as number;
  return (seen) => {
    const choice = next(seen);
    const slip = draw(mind.see(seen), slips);
    return slips.float() < chance && slip !== choice.action ? { action: slip, learnt: false } : choice;
  };
}

function part(plan: readonly string[], rng: Rng): readonly string[] {
  const from = rng.int(Math.max(1, plan.length - 1));
  const some = rng.float() < 0.6 ? plan.slice(from) : plan.slice(0, from + 1);
  return some.length === 0 ? plan : some;
}

function draw({ best, ways }: Moment, rng: Rng, avoided: readonly string[] = []): string {
  const left = ways.filter(({ command }) => !avoided.includes(command));
  const entries = (left.length > 0 ? left : ways).map(({ command, weight }) => [command, weight] as const);
  return drawWeighted(entries, rng) ?? best;
}

/** A plan as advice; in a share of the cases in other words than the commands themselves. */
export function tellWorkflow(world: StartingWorld, plan: readonly string[], rng: Rng, set: WordingSet): string {
  const other = rng.float() < 0.35;
  return writeWorkflow(
    plan.map((command) => (other ? reworded(world, command, rng, set, 0.7) : command)),
    rng,
    set,
  );
}

function reworded(world: StartingWorld, command: string, rng: Rng, set: WordingSet, chance = 0.2): string {
  if (rng.float() >= chance) return command;
  const all = world.otherWords(command);
  const some = set === "trained" ? all.slice(0, -1) : all.slice(-1);
  return pick(some, rng) ?? command;
}
