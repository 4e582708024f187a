/** SAGE: related tasks one after another; what an agent writes down as a skill in one, it can call in the next. */
import { option } from "limbeck-base/base/option";
import type { OptionValues } from "limbeck-base/base/option-table";
import { scored, scoreValue, unscored } from "limbeck-base/trajectory/score";
import type { JsonObject } from "limbeck-base/base/json";
import type { Step, Task } from "limbeck-base/trajectory/trajectory";
import { goalLikeness, range } from "./ask.ts";
import { defineStrategy, remembering, type Scope, type Walk } from "./strategy.ts";
import { createHash } from "node:crypto";
import type { Env, Episode, StepResult } from "../env/env.ts";
import { wrapEnv, wrapEpisode } from "../env/wrap.ts";

/** Skills of a task, the latest first. */
type Shelf = Readonly<Record<string, readonly WrittenSkill[]>>;

/** One task of a chain: whether it was solved, whether a skill it began with was used, and which earlier ones wrote those. */
export interface Link {
  readonly solved: boolean;
  readonly used: boolean;
  readonly writers: readonly number[];
}

/**
 * R_i = o_i (1 + b used_i + b passed_i): a success that used a skill, or wrote one with which a later task was solved, earns
 * the bonus for each; a failure earns nothing, whatever came of it.
 */
export function chainRewards(links: readonly Link[], bonus: number): number[] {
  return links.map(({ solved, used }, at) => {
    if (!solved) return 0;
    const passed = links.some((later) => later.solved && later.writers.includes(at));
    return 1 + bonus * Number(used) + bonus * Number(passed);
  });
}

const options = {
  length: option.count(2, "tasks of a chain"),
  size: option.count(4, "rollouts of every chain"),
  bonus: option.number(1, "reward of a success that used a skill, and of one whose skill solved a later task", {
    least: 0,
  }),
  order: option.choice(
    "alike",
    ["alike", "given"],
    "which tasks are joined: those whose goals share most words, or as they come",
  ),
  write: option.choice(
    "success",
    ["agent", "success"],
    "who writes skills: only the agent, by saying so, or also every success that did not",
  ),
  kept: option.count(0, "skills that a task keeps for its next visit; needs tasks that come again (tasks.pool)", 0),
};

type ChainOptions = OptionValues<typeof options>;

export const chain = defineStrategy({
  info: {
    title: "Chain (SAGE)",
    paper: "Reinforcement learning for self-improving agents with a skill library (SAGE)",
    confidence: "reading",
    source:
      "a third party's reading of the whole paper, arXiv 2512.17102; its repository amazon-science/SAGE could not be had",
    formula: [
      "a chain is `length` related tasks, rolled out one after another, `size` times each; it begins without skills",
      "skill NAME: first; second   writes a skill;   use NAME   calls it, also in later tasks of the chain",
      "write: success   an episode that solved its task without a skill of its own leaves the actions that did as one",
      "R_i = o_i * (1 + bonus * used_i + bonus * passed_i), in info.chain.reward; o is 1 for success",
      "used_i: it called a skill that it began with;   passed_i: a later task of the chain was solved with a skill that it wrote",
    ],
    meaning: "Rolls out sequences of related tasks in which skills written in one are callable in the next.",
    departures: [
      "Skills are lists of actions of the world, not programs; a call that is refused on the way is not a use.",
      "Published agents write skills themselves. Small policies never do, so that successes are skills too by default; write: agent is the published form.",
      "With kept above 0, which is ours, a task keeps its last skills until it is visited again, and its chain begins with them; nobody is paid for having written those.",
      "An answer without a program is worth -1 in the paper; here an invalid answer has no price. Chains have two tasks there.",
      "Rollouts of a task at the same place of its chain are one group. The trajectory's own reward stays the world's.",
      "A call is one environment step of the budget, however many actions it carries out.",
    ],
  },
  effect: {
    name: "skillsCarried",
    counts: "skills that episodes began with",
    remedy:
      "No task of a chain was solved, so that there was no skill to carry: give easier tasks, or a model that writes skills.",
    count: (episodes) =>
      episodes.reduce((total, { info }) => {
        const { carried = 0 } = (info?.["chain"] ?? {}) as { readonly carried?: number };
        return total + carried;
      }, 0),
  },
  options,
  create: (options) => ({
    world: withSkills,
    ...remembering<Shelf>("shelf", {}, async (scope, before) => {
      const { size, length, kept } = options;
      const roll = (own: Scope, tasks: readonly Task[]): Promise<Written[][]> =>
        own.each(range(size), (inner, member) => rollChain(inner, tasks, { member, before }, options), {
          walks: tasks.length,
        });
      const written = await scope.each(chainsOf(scope.tasks, options), roll, { walks: size * length });
      return shelved(before, written.flat(2), kept);
    }),
  }),
});

/** Chains of tasks; the last may be shorter. */
export function chainsOf(tasks: readonly Task[], { length, order }: Pick<ChainOptions, "length" | "order">): Task[][] {
  const left = [...tasks];
  const chains: Task[][] = [];
  while (left.length > 0) {
    const links = left.splice(0, 1);
    const [{ goal }] = links as [Task];
    while (links.length < length && left.length > 0) {
      const likeness = left.map((task) => (order === "alike" ? goalLikeness(goal, task.goal) : 0));
      links.push(...left.splice(likeness.indexOf(Math.max(...likeness)), 1));
    }
    chains.push(links);
  }
  return chains;
}

interface Written {
  readonly task: string;
  readonly skill: WrittenSkill;
}

/** What was known, and the skills that are new, the latest of each name first. */
function shelved(before: Shelf, written: readonly Written[], kept: number): Shelf {
  const shelf: Record<string, readonly WrittenSkill[]> = { ...before };
  for (const { task, skill } of written) {
    const others = (shelf[task] ?? []).filter(({ name }) => name !== skill.name);
    const skills = [skill, ...others].slice(0, kept);
    if (skills.length > 0) shelf[task] = skills;
  }
  return shelf;
}

interface ChainStart {
  readonly member: number;
  /** What its tasks were left with. */
  readonly before: Shelf;
}

async function rollChain(
  scope: Scope,
  tasks: readonly Task[],
  { member, before }: ChainStart,
  options: ChainOptions,
): Promise<Written[]> {
  const brought = tasks.flatMap(({ id }) => before[id] ?? []);
  const library = new Map(brought.map((skill) => [skill.name, skill]));
  /** Which task of this chain wrote a skill, by its name. */
  const writers = new Map<string, number>();
  const walks: Walk[] = [];
  const links: (Link & { readonly carried: number })[] = [];
  const left: Written[] = [];
  for (const task of tasks) {
    const carried = library.size;
    const group = scope.prefix + task.id;
    const walk = await scope.open(withTaskSkills(task, [...library.values()]), member, { group });
    if (walk === undefined) break;
    await walk.advance();
    const { written, used } = skillsOf(walk.episode);
    const usedOf = used.flatMap((name) => writers.get(name) ?? []);
    const solved = walk.success === true;
    const own = solved && options.write === "success" ? skillOfSuccess(task, walk.episode) : undefined;
    for (const skill of own === undefined ? written : [own]) {
      library.set(skill.name, skill);
      writers.set(skill.name, walks.length);
      left.push({ task: task.id, skill });
    }
    walks.push(walk);
    links.push({ solved, used: used.length > 0, writers: usedOf, carried });
  }
  const rewards = chainRewards(links, options.bonus);
  for (const [index, walk] of walks.entries()) {
    const { used, carried } = links[index] as (typeof links)[number];
    const reward = rewards[index] as number;
    walk.note({ chain: { tasks: tasks.map(({ id }) => id), index, carried, used, reward } });
  }
  return left;
}

// A world in which skills can be written and called. `skill NAME: first; second` writes one: the world is not stepped.
// `use NAME` carries out its actions one after another, up to the first that is refused, as one step of the episode.
// Skills that the task brings along (data.skills) are shown at the opening.

export interface WrittenSkill {
  readonly name: string;
  readonly actions: readonly string[];
}

/** Writing takes no step of the world, so it must have an end. */
const MOST_WRITTEN = 8;
const MOST_ACTIONS = 20;
const WRITE = /^skill ([A-Za-z][\w-]{0,39}): (.+)$/s;
const USE = /^use ([A-Za-z][\w-]{0,39})$/;

/** The skill that an action writes; undefined when it is none. */
export function readSkill(action: string): WrittenSkill | undefined {
  const [, name, body = ""] = WRITE.exec(action) ?? [];
  const actions = body.split(";").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
  return name === undefined || actions.length === 0 || actions.length > MOST_ACTIONS ? undefined : { name, actions };
}

/** A task with these skills to call: another task, so that it has an id of its own. */
export function withTaskSkills(task: Task, skills: readonly WrittenSkill[]): Task {
  if (skills.length === 0) return task;
  const listed = skills.map(({ name, actions }) => ({ name, actions: [...actions] }));
  const mark = createHash("sha256").update(JSON.stringify(listed)).digest("hex").slice(0, 8);
  return { ...task, id: `${task.id} with skills ${mark}`, data: { ...task.data, skills: listed } };
}

const MARK = / with skills [0-9a-f]{8}$/;

/** The task as the world knows it. */
function withoutSkills(task: Task): Task {
  if (task.data?.["skills"] === undefined) return task;
  const { data: { skills: _skills, ...data } = {}, ...bare } = task;
  const plain = { ...bare, id: task.id.replace(MARK, "") };
  return Object.keys(data).length === 0 ? plain : { ...plain, data };
}

/** What an episode has written, the last of each name, and which of the given skills it used to the end. */
export function skillsOf(steps: readonly Step[]): { readonly written: WrittenSkill[]; readonly used: string[] } {
  const written = new Map<string, WrittenSkill>();
  const used = new Set<string>();
  for (const { action, info } of steps) {
    const note = info?.["skill"] as
      | { readonly written?: string; readonly used?: string; readonly complete?: boolean }
      | undefined;
    const skill = note?.written === undefined ? undefined : readSkill(action);
    if (skill !== undefined) written.set(skill.name, skill);
    // A name that was written anew is no longer what was given.
    if (note?.used !== undefined && note.complete === true && !written.has(note.used)) used.add(note.used);
  }
  return { written: [...written.values()], used: [...used] };
}

/** The actions that solved a task, as a skill named after its goal; undefined where skills had a part in them. */
export function skillOfSuccess({ goal }: Task, steps: readonly Step[]): WrittenSkill | undefined {
  const actions = steps.filter(({ valid }) => valid).map(({ action }) => action.trim());
  const isPlain = steps.every(({ info }) => info?.["skill"] === undefined);
  const fits = actions.length > 0 && actions.length <= MOST_ACTIONS && actions.every((action) => !/[;\n]/.test(action));
  if (!isPlain || !fits) return undefined;
  const words = goal.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return { name: `do-${words.join("-")}`.slice(0, 40).replace(/-$/, ""), actions };
}

export function withSkills(env: Env): Env {
  return wrapEnv(env, (episode) => episode, {
    open: async (task, options) => {
      const skills = task.data?.["skills"];
      const inner = await env.open(withoutSkills(task), options);
      const known = Array.isArray(skills) ? (skills as unknown as WrittenSkill[]) : [];
      const listed = known.map(({ name, actions }) => `use ${name} (${actions.join("; ")})`).join("\n");
      const shown = listed === "" ? undefined : `${inner.observation}\n\nSkills:\n${listed}`;
      return skilled(inner, task, { library: new Map(known.map((skill) => [skill.name, skill])), written: 0, shown });
    },
  });
}

interface State {
  readonly library: ReadonlyMap<string, WrittenSkill>;
  readonly written: number;
  /** What the agent sees, where it is not what the world shows. */
  readonly shown: string | undefined;
}

function skilled(inner: Episode, task: Task, start: State): Episode {
  let state = start;
  const step: Episode["step"] = async (action, options) => {
    const skill = readSkill(action);
    if (skill !== undefined && state.written < MOST_WRITTEN && inner.ending === undefined) {
      const shown = `Skill ${skill.name} is written.`;
      state = { library: new Map(state.library).set(skill.name, skill), written: state.written + 1, shown };
      return noStep(inner, shown, { skill: { written: skill.name } });
    }
    const called = state.library.get(USE.exec(action)?.[1] ?? "");
    if (called === undefined) {
      state = { ...state, shown: undefined };
      return await inner.step(action, options);
    }
    const result = await callSkill(called, (one) => inner.step(one, options));
    state = { ...state, shown: result.observation };
    return result;
  };
  return wrapEpisode(inner, {
    task,
    get observation() {
      return state.shown ?? inner.observation;
    },
    admissible: () => {
      const listed = inner.admissible();
      return listed === undefined ? undefined : [...listed, ...[...state.library.keys()].map((name) => `use ${name}`)];
    },
    step,
    fork: async () => skilled(await inner.fork(), task, state),
  });
}

function noStep(inner: Episode, observation: string, info: JsonObject): StepResult {
  return { observation, reward: scored(0), valid: true, ending: undefined, success: inner.success, info };
}

async function callSkill(skill: WrittenSkill, step: (action: string) => Promise<StepResult>): Promise<StepResult> {
  const results: StepResult[] = [];
  for (const action of skill.actions) {
    const result = await step(action);
    results.push(result);
    if (!result.valid || result.ending !== undefined) break;
  }
  const last = results.at(-1) as StepResult;
  const values = results.map(({ reward }) => scoreValue(reward));
  const lost = values.includes(undefined);
  const complete = last.valid && (results.length === skill.actions.length || last.success === true);
  return {
    ...last,
    observation: results.map(({ observation }) => observation).join("\n"),
    reward: lost
      ? unscored("part of a skill was unscored")
      : scored(values.reduce<number>((sum, one) => sum + (one ?? 0), 0)),
    valid: complete,
    info: { ...last.info, skill: { used: skill.name, complete, steps: results.length } },
  };
}
