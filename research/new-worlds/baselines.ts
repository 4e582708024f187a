/** What agents that have learnt nothing reach in a small world: one that does not look, one that draws, and the expert. */
import { createRng, type Env, type Task } from "limbeck";
import type { Demonstrator, World } from "limbeck/env";

type Demonstration = ReturnType<Demonstrator["start"]>;

export interface Baselines {
  /** The best of: one action again and again, one sequence of the expert again in every task. Chosen on training tasks. */
  readonly blind: number;
  /** Any listed action; where none is listed, any that the expert took in training tasks. */
  readonly random: number;
  readonly expert: number;
  /** Mean steps of the expert. */
  readonly steps: number;
  /** Shortest of its episodes. */
  readonly fewest: number;
}

/** Training tasks that blind sequences are taken from and chosen on. */
const CHOSEN_ON = 24;

export async function baselinesOf(world: World, heldOut: number): Promise<Baselines> {
  const [env, expert] = [await world.create(), world.demonstrators?.["expert"]];
  if (expert === undefined) throw new Error("The world has no expert.");
  const demonstrate = (task: Task): Demonstration => expert.start(task, createRng(task.id));
  const [train, test] = [tasksOf(env, "train", CHOSEN_ON), tasksOf(env, "test", heldOut)];
  const shown = await played(env, train, demonstrate);
  const actions = [...new Set(shown.flatMap((one) => one.actions))];
  const scripts = [...actions.map((action) => [action]), ...shown.map((one) => one.actions)];
  const distinct = [...new Map(scripts.map((script) => [script.join("\n"), script])).values()];
  let best: { readonly script: readonly string[]; readonly success: number } = { script: [""], success: 0 };
  for (const script of distinct) {
    const success = share(await played(env, train, () => reciting(script)));
    if (success > best.success) best = { script, success };
  }
  const expertly = await played(env, test, demonstrate);
  const lengths = expertly.map((one) => one.actions.length);
  return {
    blind: share(await played(env, test, () => reciting(best.script))),
    random: share(await played(env, test, (task) => drawing(task, actions))),
    expert: share(expertly),
    steps: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    fewest: Math.min(...lengths),
  };
}

export function tasksOf(env: Env, split: string, count: number): readonly Task[] {
  return [...(env.tasks(split, { count }) as Iterable<Task>)];
}

/** Says a sequence, whatever it sees, and its last word to the end. */
function reciting(script: readonly string[]): Demonstration {
  let at = 0;
  return { next: () => script[Math.min(at++, script.length - 1)] ?? "" };
}

function drawing(task: Task, known: readonly string[]): Demonstration {
  const rng = createRng(`random ${task.id}`);
  return { next: ({ admissible = known }) => admissible[rng.int(admissible.length)] ?? "" };
}

interface Played {
  readonly actions: readonly string[];
  readonly success: boolean;
}

async function played(
  env: Env,
  tasks: readonly Task[],
  start: (task: Task) => Demonstration,
): Promise<readonly Played[]> {
  const all: Played[] = [];
  for (const task of tasks) {
    const [player, episode] = [start(task), await env.open(task)];
    const actions: string[] = [];
    while (episode.ending === undefined) {
      const seen = { action: actions.at(-1), observation: episode.observation, admissible: episode.admissible() };
      actions.push(player.next(seen));
      await episode.step(actions.at(-1) ?? "");
    }
    all.push({ actions, success: episode.success === true });
    await episode.close();
  }
  return all;
}

const share = (all: readonly Played[]): number => all.filter(({ success }) => success).length / all.length;
