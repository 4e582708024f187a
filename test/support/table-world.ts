/** Worlds small enough to be counted out: a table of moves between states, and a policy that is certain in each. */
import type { Env, Episode } from "../../packages/core/src/env/env.ts";
import type { Script } from "../../packages/policy/src/policy/tabular/scripted-policy.ts";
import { createRng, pick } from "../../packages/base/src/base/rng.ts";
import { scored } from "../../packages/base/src/trajectory/score.ts";
import type { Ending, Task } from "../../packages/base/src/trajectory/trajectory.ts";

export interface TableWorld {
  /** Where each action leads from each state; the first state is the start. */
  readonly moves: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What the world pays on arriving in these states, where the episode ends. */
  readonly ends: Readonly<Record<string, number>>;
  readonly maxSteps: number;
}

export const TABLE_TASK: Task = { id: "table", env: "table", seed: 1, goal: "get to the end", split: "train" };

export function createTableEnv(world: TableWorld): Env {
  const [start = ""] = Object.keys(world.moves);
  return {
    id: "table",
    summary: "A table of moves.",
    maxSteps: world.maxSteps,
    splits: { train: 1 },
    tasks: () => [TABLE_TASK],
    open: () => Promise.resolve(episode(world, start, 0)),
  };
}

function episode(world: TableWorld, from: string, taken: number): Episode {
  let [state, steps] = [from, taken];
  const paid = (): number => world.ends[state] ?? 0;
  const ending = (): Ending | undefined =>
    world.ends[state] !== undefined ? "terminated" : steps >= world.maxSteps ? "truncated" : undefined;
  return {
    task: TABLE_TASK,
    get observation() {
      return `at ${state}`;
    },
    get stateKey() {
      return state;
    },
    get ending() {
      return ending();
    },
    get reward() {
      return scored(paid());
    },
    get success() {
      return ending() === undefined ? null : paid() === 1;
    },
    admissible: () => Object.keys(world.moves[state] ?? {}),
    step: (action) => {
      const next = world.moves[state]?.[action];
      steps += 1;
      state = next ?? state;
      const success = ending() === undefined ? null : paid() === 1;
      const reward = scored(next === undefined ? 0 : paid());
      return Promise.resolve({
        observation: `at ${state}`,
        reward,
        valid: next !== undefined,
        ending: ending(),
        success,
      });
    },
    fork: () => Promise.resolve(episode(world, state, steps)),
    close: () => Promise.resolve(),
  };
}

/** Always does the same in a state. Words put into its mouth are read too, so only the last sight counts. */
export function certainScript(choices: Readonly<Record<string, string>>): Script {
  return ({ observation }) => choices[/at (\w+)\s*$/.exec(observation)?.[1] ?? ""] ?? "";
}

/** Four states and an end; every action leads somewhere by lot. */
export function randomWorld(seed: number): { readonly world: TableWorld; readonly choices: Record<string, string> } {
  const rng = createRng(`table ${seed}`);
  const states = ["a", "b", "c", "d"];
  const actions = ["left", "right", "up"];
  const moves = Object.fromEntries(
    states.map((state) => [
      state,
      Object.fromEntries(actions.map((action) => [action, pick([...states, "end"], rng) as string])),
    ]),
  );
  const choices = Object.fromEntries(states.map((state) => [state, pick(actions, rng) as string]));
  return { world: { moves, ends: { end: 1 }, maxSteps: 4 }, choices };
}

/** Whether the policy, going on from here by itself, reaches the end in time. */
export function reachesEnd(
  { moves, ends, maxSteps }: TableWorld,
  choices: Readonly<Record<string, string>>,
  from: string,
  taken: number,
): boolean {
  let state = from;
  for (let step = taken; step < maxSteps && ends[state] === undefined; step += 1) {
    state = moves[state]?.[choices[state] ?? ""] ?? state;
  }
  return ends[state] === 1;
}
