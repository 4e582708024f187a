/** From a group of episodes to questions and true answers, in every kind of writing. */
import { pick, type Rng } from "limbeck/base";
import type { Trajectory } from "limbeck";
import { briefQuestion, type WritingKind } from "limbeck/skill";
import { actionOf, critiqueLines, momentOf, reasonLines, recordLines, skillWriting } from "./questions.ts";
import { cleanWay, groundOf, judgeSteps, type Ground, type Judged } from "./truth.ts";
import { drawVoice, say, sayReason, warn, type Flaw } from "./words.ts";
import type { WriterWorld } from "./worlds.ts";

export interface Example {
  readonly world: string;
  readonly kind: WritingKind;
  readonly question: string;
  readonly answer: string;
  /** The episode it is about, and the step where it is about one. */
  readonly trajectory: string;
  readonly step?: number;
  /** Most hints, of a skill. */
  readonly most?: number;
}

/** A group with everything that is known of it. */
export interface Studied {
  readonly world: WriterWorld;
  readonly ground: Ground;
  readonly group: readonly Trajectory[];
  /** The shortest success without its detours; undefined where nobody won. */
  readonly way: readonly string[] | undefined;
}

const LONGEST_WAY = 12;
const LONGEST_COMMAND = 160;

export async function study(world: WriterWorld, group: readonly Trajectory[]): Promise<Studied | undefined> {
  const [first] = group;
  if (first === undefined) return undefined;
  const ground = groundOf(world, first.task);
  if (!Number.isFinite((await ground.after([])).remaining)) return undefined;
  const [winner] = group.filter(({ success }) => success === true).toSorted((a, b) => a.steps.length - b.steps.length);
  const way = winner === undefined ? undefined : await cleanWay(ground, winner);
  return { world, ground, group, way };
}

/** Some examples of each episode that differs from those before it; lost ones have more to tell. */
export async function examplesOf(
  studied: Studied,
  rng: Rng,
  /** One episode alone, with an example of every kind. */
  { only }: { readonly only?: string } = {},
): Promise<Example[]> {
  const chance = (share: number): boolean => rng.float() < share || only !== undefined;
  const { world, ground, group } = studied;
  const examples: Example[] = [];
  const met = new Set<string>();
  for (const trajectory of only === undefined ? group : group.filter(({ id }) => id === only)) {
    const actions = trajectory.steps.map(actionOf);
    const key = JSON.stringify(actions);
    if (met.has(key) || actions.length === 0 || actions.some(({ length }) => length > LONGEST_COMMAND)) continue;
    met.add(key);
    const judged = await judgeSteps(ground, trajectory);
    const found = [
      await skillExample(studied, trajectory, judged, rng),
      reflectionExample(studied, trajectory, judged, rng),
      chance(0.4) ? correctionExample(trajectory, judged, rng) : undefined,
      chance(0.4) ? await reasonExample(ground, trajectory, judged, rng) : undefined,
      chance(0.6) ? await verdictExample(studied, trajectory, rng) : undefined,
      chance(0.3) ? await critiqueExample(ground, trajectory, judged, rng) : undefined,
    ];
    for (const one of found)
      if (one !== undefined) examples.push({ world: world.id, trajectory: trajectory.id, ...one });
  }
  return examples;
}

type Made = Omit<Example, "world" | "trajectory">;

async function skillExample(
  { world, group, way }: Studied,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const most = rng.int(4);
  const voice = drawVoice(rng);
  const won = trajectory.success === true;
  const told = way === undefined || way.length > LONGEST_WAY ? [] : way;
  const right = new Set(told);
  const wasted = (kind: Judged["waste"], count: number): string[] =>
    [
      ...new Set(
        judged.filter(({ waste, action }) => waste === kind && !right.has(action)).map(({ action }) => action),
      ),
    ].slice(0, count);
  const alone = told.length === 0;
  const [firstWrong] = judged.filter((step) => !step.right && step.open && step.better !== undefined);
  const instead =
    firstWrong?.better !== undefined &&
    firstWrong.better !== firstWrong.action &&
    (world.tellable || right.has(firstWrong.better))
      ? firstWrong
      : undefined;
  const parts = won
    ? [say(voice, "worked", told)]
    : [
        say(voice, "refused", wasted("refused", alone ? 2 : 1)),
        say(voice, "useless", wasted("useless", alone ? 2 : 1)),
        say(voice, "leadsBack", wasted("leadsBack", alone ? 2 : 1)),
        instead === undefined || right.has(instead.action) ? "" : say(voice, "not", [instead.action]),
        instead === undefined || right.has(instead.action) ? "" : say(voice, "but", [instead.better as string]),
        say(voice, "worked", told),
      ];
  let text = parts.filter(Boolean).join(" ");
  if (text === "") text = say(voice, "tried", [...new Set(judged.map(({ action }) => action))].slice(0, 3));
  const hints: Record<string, string> = {};
  for (const [at, step] of judged.entries()) {
    if (step.right || Object.keys(hints).length >= most) continue;
    const index = String(trajectory.steps[at]?.index);
    if (step.better !== undefined && step.better !== step.action && (world.tellable || right.has(step.better))) {
      hints[index] = say(voice, "now", [step.better]);
    } else if (step.waste !== undefined && step.waste !== "tried") hints[index] = warn(step.action, step.waste);
  }
  const { length } = trajectory.steps;
  const summary = `${won ? "won" : "lost"} after ${length} ${length === 1 ? "step" : "steps"}`;
  const answer = JSON.stringify({ episode_summary: summary, episode_skill: text, step_skills: hints });
  return { kind: "skill", question: briefQuestion(await skillWriting(trajectory, group, most)), answer, most };
}

function reflectionExample(
  { world }: Studied,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Made | undefined {
  if (trajectory.success === true || !world.tellable) return undefined;
  const at = judged.findIndex((step) => !step.right && step.open && step.better !== undefined);
  const step = judged[at];
  if (step?.better === undefined || step.better === step.action) return undefined;
  const guidance = say(drawVoice(rng), "now", [step.better]);
  const answer = JSON.stringify({ step: trajectory.steps[at]?.index, guidance });
  return {
    kind: "reflection",
    question: briefQuestion({ kind: "reflection", material: recordLines(trajectory) }),
    answer,
  };
}

function correctionExample(trajectory: Trajectory, judged: readonly Judged[], rng: Rng): Made | undefined {
  const known = judged.flatMap(({ better }, at) => (better === undefined ? [] : [{ at, better }]));
  const chosen = pick(known, rng);
  if (chosen === undefined) return undefined;
  const material = recordLines(trajectory, trajectory.steps[chosen.at]?.index);
  const question = briefQuestion({ kind: "correction", material });
  return { kind: "correction", question, answer: chosen.better, step: chosen.at };
}

async function reasonExample(
  ground: Ground,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const moment = await momentOf(ground, trajectory, judged, rng);
  if (moment === undefined) return undefined;
  return {
    kind: "reason",
    question: briefQuestion({ kind: "reason", material: reasonLines(trajectory.task.goal, moment) }),
    answer: sayReason(moment.best.action, moment.others, rng),
    step: moment.at,
  };
}

/** Advice that is right, wrong (it does not win) or harmful (nobody could win after it). */
async function verdictExample(studied: Studied, trajectory: Trajectory, rng: Rng): Promise<Made | undefined> {
  const { way, group } = studied;
  if (way === undefined || way.length > LONGEST_WAY) return undefined;
  const draw = rng.float();
  const lost = group.filter(({ success }) => success !== true).map(({ steps }) => steps.map(actionOf));
  const advised =
    draw < 0.35
      ? way
      : draw < 0.6 && lost.length > 0
        ? (pick(lost, rng) as string[]).slice(0, LONGEST_WAY)
        : spoilt(way, group, rng);
  const { brief = [] } = await skillWriting(trajectory, group, 0);
  const text = say(drawVoice(rng), "worked", advised);
  return {
    kind: "verdict",
    question: briefQuestion({ kind: "verdict", material: [], brief: [`advice: ${text}`, ...brief.slice(1)] }),
    answer: await verdictOf(studied.ground, advised),
  };
}

export async function verdictOf(ground: Ground, advised: readonly string[]): Promise<string> {
  const { won, remaining } = await ground.after(advised);
  return won ? "true" : Number.isFinite(remaining) ? "wrong" : "harmful";
}

function spoilt(way: readonly string[], group: readonly Trajectory[], rng: Rng): string[] {
  const at = rng.int(way.length);
  const other = pick(
    group.flatMap(({ steps }) => steps.map(actionOf)),
    rng,
  ) as string;
  const draw = rng.float();
  if (draw < 0.4 && way.length > 1) return way.toSpliced(at, 1);
  if (draw < 0.6 && way.length > 1) return way.toSpliced(at, 1).toSpliced(rng.int(way.length), 0, way[at] as string);
  return way.toSpliced(at, 1, other);
}

async function critiqueExample(
  ground: Ground,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const moment = await momentOf(ground, trajectory, judged, rng);
  if (moment === undefined) return undefined;
  const worth: Readonly<Record<Flaw, number>> = { slow: 3, useless: 2, refused: 1, lost: 0 };
  const candidates = [
    { action: moment.best.action, worth: 4 },
    ...moment.others.map(({ action, flaw }) => ({ action, worth: worth[flaw] })),
  ]
    .map((one) => ({ ...one, place: rng.float() }))
    .toSorted((left, right) => left.place - right.place);
  const order = candidates
    .map((one, at) => ({ ...one, at: at + 1 }))
    .toSorted((left, right) => right.worth - left.worth);
  return {
    kind: "critique",
    question: briefQuestion({
      kind: "critique",
      material: critiqueLines(trajectory.task.goal, moment.observation, candidates),
    }),
    answer: order.map(({ at }) => at).join(", "),
  };
}
