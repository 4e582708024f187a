/** Lessons of players with mistakes; a share by careful ones, and a share with advice that is followed to the letter. */
import { createRng, type Rng, type Env, type Task } from "limbeck";
import { getWorld, type World } from "limbeck/env";
import { stepAdvice, workflowText } from "../../../packages/core/src/skill/statistics/wording.ts";
import { advise, playLesson, type Lesson } from "../lesson.ts";
import { drawWay, type Players } from "./players.ts";
import { making, mistakenWorlds, type MistakenWorld } from "./worlds.ts";

/** Whose decisions are learnt: those of a player with mistakes, or right ones alone, also where a mistake has led. */
export type LessonsOf = "mixed" | "right";

/** Lessons of some tasks of the training split, which alone is ever opened. */
export async function* lessonsOf(
  name: string,
  first: number,
  count: number,
  whose: LessonsOf = "mixed",
): AsyncIterable<Lesson> {
  const own = mistakenWorlds[name] as MistakenWorld;
  const world = await getWorld(name);
  const rng = createRng(making.seed).split(name);
  const env = await world.create(own.options);
  let before: readonly string[] = [];
  let at = first;
  for await (const task of env.tasks("train", { offset: first, count })) {
    const drawn = rng.split(at);
    at += 1;
    const setting = { own, world, env, task, rng: drawn, before };
    const lesson = whose === "right" ? await slipping(setting) : await lessonOf(setting);
    before = lesson.decisions.map(({ action }) => action);
    if (lesson.decisions.length > 0) yield lesson;
  }
}

interface Setting {
  readonly own: MistakenWorld;
  readonly world: World;
  readonly env: Env;
  readonly task: Task;
  readonly rng: Rng;
  /** What was done in the task before, which leads astray here. */
  readonly before: readonly string[];
}

async function lessonOf(setting: Setting): Promise<Lesson> {
  const { own, rng, env, task, before } = setting;
  const kind = rng.float();
  if (kind < own.careful) return await played(setting, "careful");
  if (kind >= own.careful + own.advised) return await played(setting, "careless");
  const sort = rng.float();
  if (sort < making.wrong && before.length > 0) return follow(await env.open(task), before);
  if (sort < making.wrong + making.hint) return hinted(await played(setting, "careless"), setting);
  const { decisions, ...rest } = await played(setting, "careful");
  const skill = workflowText(decisions.map(({ action }) => action));
  return { ...rest, kind: "workflow", decisions: withSkill(decisions, skill) };
}

async function played({ own, world, env, task, rng }: Setting, who: "careful" | "careless"): Promise<Lesson> {
  const players = own.players(task, rng.split("mind"), world.demonstrators ?? {});
  return await playLesson(env, task, "unadvised", {
    choose: (seen, _, step) =>
      step >= own.mostSteps ? { action: "", stop: true } : { action: drawWay(players[who](seen), rng) },
  });
}

/** Slips like a careless one, which is not learnt, and does what a careful one would from there. */
async function slipping({ own, world, env, task, rng }: Setting): Promise<Lesson> {
  const mind = (): Players => own.players(task, rng.split("mind"), world.demonstrators ?? {});
  const [{ careful }, { careless }] = [mind(), mind()];
  return await playLesson(env, task, "unadvised", {
    choose: (seen, _, step) => {
      if (step >= own.mostSteps) return { action: "", stop: true };
      const [right, slip] = [drawWay(careful(seen), rng), drawWay(careless(seen), rng)];
      return rng.float() < making.slips ? { action: slip, learnt: slip === right } : { action: right };
    },
  });
}

async function follow(episode: Awaited<ReturnType<Env["open"]>>, plan: readonly string[]): Promise<Lesson> {
  const decisions: Lesson["decisions"][number][] = [];
  for (const action of plan) {
    if (episode.ending !== undefined) break;
    decisions.push({ message: episode.observation, action, learnt: true });
    await episode.step(action);
  }
  await episode.close();
  return { kind: "misleading", decisions: withSkill(decisions, workflowText(plan)), success: false };
}

/** The last decision is hinted at, and nothing follows it. Only it is learnt. */
function hinted({ decisions, ...rest }: Lesson, { rng }: Setting): Lesson {
  const last = rng.int(decisions.length);
  return {
    ...rest,
    kind: "hints",
    decisions: decisions
      .slice(0, last + 1)
      .map((decision, at) =>
        at < last
          ? { ...decision, learnt: false }
          : { ...decision, message: advise(decision.message, undefined, stepAdvice(decision.action)) },
      ),
  };
}

function withSkill(decisions: Lesson["decisions"], episodeSkill: string): Lesson["decisions"] {
  return decisions.map((decision, at) =>
    at === 0 ? { ...decision, message: advise(decision.message, episodeSkill, undefined) } : decision,
  );
}
