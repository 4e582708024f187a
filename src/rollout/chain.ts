/** SAGE: related tasks one after another; what an agent writes down as a skill in one, it can call in the next. */
import { option } from "../base/index.ts";
import type { Task } from "../trajectory/index.ts";
import { range } from "./ask.ts";
import { goalLikeness } from "./likeness.ts";
import { defineStrategy, type Scope } from "./strategy.ts";
import type { Walk } from "../walk/line/walk.ts";
import { skillsOf, withSkills, withTaskSkills, type WrittenSkill } from "./with-skills.ts";

interface ChainOptions {
  readonly length: number;
  readonly size: number;
  readonly bonus: number;
  readonly order: "given" | "alike";
}

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
      "a chain is `length` related tasks, rolled out one after another, `size` times each; it begins without skills",
      "skill NAME: first; second   writes a skill;   use NAME   calls it, also in later tasks of the chain",
      "R_i = o_i + bonus * o_i * used_i + bonus * o_(i+1) * used_(i+1), in info.chain.reward; o is 1 for success",
    ],
    meaning: "Rolls out sequences of related tasks in which skills written in one are callable in the next.",
    departures: [
      "Skills are lists of actions of the world, not programs; a call that is refused on the way is not a use.",
      "Rollouts of a task at the same place of its chain are one group. The trajectory's own reward stays the world's.",
      "A call is one environment step of the budget, however many actions it carries out.",
    ],
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
  },
  create: (options) => ({
    world: withSkills,
    run: async (scope) => {
      const chains = chainsOf(scope.tasks, options);
      await scope.each(
        chains,
        (own, tasks) =>
          own.each(range(options.size), (inner, member) => rollChain(inner, tasks, member, options), {
            walks: tasks.length,
          }),
        { walks: options.size * options.length },
      );
    },
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

async function rollChain(scope: Scope, tasks: readonly Task[], member: number, options: ChainOptions): Promise<void> {
  const library = new Map<string, WrittenSkill>();
  const walks: Walk[] = [];
  const links: Link[] = [];
  for (const task of tasks) {
    const known = new Set(library.keys());
    const walk = await scope.open(withTaskSkills(task, [...library.values()]), member);
    if (walk === undefined) break;
    await walk.advance();
    const { written, used } = skillsOf(walk.episode);
    for (const skill of written) library.set(skill.name, skill);
    walks.push(walk);
    links.push({ solved: walk.success === true, used: used.some((name) => known.has(name)) });
  }
  const rewards = chainRewards(links, options.bonus);
  for (const [index, walk] of walks.entries()) {
    const { used } = links[index] as Link;
    walk.note({ chain: { tasks: tasks.map(({ id }) => id), index, used, reward: rewards[index] as number } });
  }
}
