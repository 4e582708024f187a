/** SAGE: related tasks one after another; what an agent writes down as a skill in one, it can call in the next. */
import { option } from "../base/index.ts";
import type { JsonObject, Task } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import { goalLikeness } from "./likeness.ts";
import { defineStrategy, type Scope } from "./strategy.ts";
import type { Walk } from "../walk/line/walk.ts";
import { skillOfSuccess, skillsOf, withSkills, withTaskSkills, type WrittenSkill } from "./with-skills.ts";

interface ChainOptions {
  readonly length: number;
  readonly size: number;
  readonly bonus: number;
  readonly order: "given" | "alike";
  readonly write: "agent" | "success";
  readonly kept: number;
}

/** Skills of a task, the latest first. */
type Shelf = Readonly<Record<string, readonly WrittenSkill[]>>;

/** One task of a chain: whether it was solved, and whether a skill of an earlier one was used. */
export interface Link {
  readonly solved: boolean;
  readonly used: boolean;
}

/** R_i = o_i + b o_i used_i + b o_(i+1) used_(i+1): who wrote a skill shares in what came of it. */
export function chainRewards(links: readonly Link[], bonus: number): number[] {
  const gain = (link: Link | undefined): number => (link?.solved === true && link.used ? bonus : 0);
  return links.map((link, at) => (link.solved ? 1 : 0) + gain(link) + gain(links[at + 1]));
}

export const chain = defineStrategy({
  info: {
    title: "Chain (SAGE)",
    paper: "Reinforcement learning for self-improving agents with a skill library (SAGE)",
    confidence: "inferred",
    formula: [
      "a chain is `length` related tasks, rolled out one after another, `size` times each; it begins with the skills that its tasks were left with when they were last visited",
      "skill NAME: first; second   writes a skill;   use NAME   calls it, also in later tasks of the chain",
      "write: success   an episode that solved its task without a skill of its own leaves the actions that did as one",
      "R_i = o_i + bonus * o_i * used_i + bonus * o_(i+1) * used_(i+1), in info.chain.reward; o is 1 for success",
    ],
    meaning: "Rolls out sequences of related tasks in which skills written in one are callable in the next.",
    departures: [
      "Skills are lists of actions of the world, not programs; a call that is refused on the way is not a use.",
      "Published agents write skills themselves. Small policies never do, so that successes are skills too by default; write: agent is the published form.",
      "A task keeps its last `kept` skills until it is visited again; published chains begin without any (kept: 0).",
      "Rollouts of a task at the same place of its chain are one group. The trajectory's own reward stays the world's.",
      "A call is one environment step of the budget, however many actions it carries out.",
    ],
  },
  repeats: true,
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
  options: {
    length: option.count(2, "tasks of a chain"),
    size: option.count(4, "rollouts of every chain"),
    bonus: option.number(0.5, "reward of a skill that was used to solve a task", { least: 0 }),
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
    kept: option.count(2, "skills that a task keeps for its next visit", 0),
  },
  create: (options) => {
    let shelf: Shelf = {};
    return {
      world: withSkills,
      run: async (scope) => {
        const [chains, before] = [chainsOf(scope.tasks, options), shelf];
        const written = await scope.each(
          chains,
          (own, tasks) =>
            own.each(range(options.size), (inner, member) => rollChain(inner, tasks, { member, before }, options), {
              walks: tasks.length,
            }),
          { walks: options.size * options.length },
        );
        shelf = shelved(before, written.flat(2), options.kept);
      },
      save: () => ({ shelf }) as unknown as JsonObject,
      load: (state) => {
        ({ shelf } = state as unknown as { readonly shelf: Shelf });
      },
    };
  },
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
  const walks: Walk[] = [];
  const links: (Link & { readonly carried: number })[] = [];
  const left: Written[] = [];
  for (const task of tasks) {
    const known = new Set(library.keys());
    const group = scope.prefix + task.id;
    const walk = await scope.open(withTaskSkills(task, [...library.values()]), member, { group });
    if (walk === undefined) break;
    await walk.advance();
    const { written, used } = skillsOf(walk.episode);
    const solved = walk.success === true;
    const own = solved && options.write === "success" ? skillOfSuccess(task, walk.episode) : undefined;
    for (const skill of own === undefined ? written : [own]) {
      library.set(skill.name, skill);
      left.push({ task: task.id, skill });
    }
    walks.push(walk);
    links.push({ solved, used: used.some((name) => known.has(name)), carried: known.size });
  }
  const rewards = chainRewards(links, options.bonus);
  for (const [index, walk] of walks.entries()) {
    const { used, carried } = links[index] as (typeof links)[number];
    const reward = rewards[index] as number;
    walk.note({ chain: { tasks: tasks.map(({ id }) => id), index, carried, used, reward } });
  }
  return left;
}
