/**
 * What the small worlds of strangers share: a situation that is drawn, facts that an action changes, one success at the end.
 * A wrong word ends an episode; what cannot be done is refused and takes a step.
 */
import { defineWorld, scored, type Episode, type Rng, type Task } from "limbeck";
import { drawnEnv, episodeOf, type Demonstrator, type Seen, type World } from "limbeck/env";

/** What an action does: what is answered, what becomes of the facts, and whether that ends it, well or badly. */
export interface Change<Facts> {
  readonly said: string;
  readonly facts?: Partial<Facts>;
  readonly won?: boolean;
}

interface SmallWorld<Situation, Facts> {
  readonly id: string;
  readonly title: string;
  readonly meaning: string;
  readonly maxSteps: number;
  readonly draw: (rng: Rng) => Situation;
  readonly goal: (situation: Situation) => string;
  readonly facts: Facts;
  /** The accepted actions. Default: they are free text. */
  readonly actions?: (situation: Situation, facts: Facts) => readonly string[];
  /** Undefined where the action cannot be done. */
  readonly act: (situation: Situation, facts: Facts, action: string) => Change<Facts> | undefined;
  /** What it does next, of all that it has read: the goal first. */
  readonly expert: () => (seen: Seen, goal: string) => string;
}

interface State<Facts> {
  readonly said: string;
  readonly facts: Facts;
  readonly steps: number;
  readonly won: boolean | undefined;
}

export function smallWorld<Situation, Facts extends object>(world: SmallWorld<Situation, Facts>): World {
  const { id, title, meaning, maxSteps, draw, goal, expert } = world;
  const env = drawnEnv<Situation>({
    id,
    summary: meaning,
    maxSteps,
    draw: (_dial, rng) => draw(rng),
    key: (situation) => JSON.stringify(situation),
    goal,
    open: (task, situation) => openAt(world, task, situation),
  });
  const shown: Demonstrator = {
    id: "expert",
    summary: "Acts on what it has read alone.",
    start: (task) => {
      const next = expert();
      return { next: (seen) => next(seen, task.goal) };
    },
  };
  return defineWorld({
    id,
    info: { title, meaning },
    options: {},
    create: () => env,
    demonstrators: { expert: shown },
  });
}

function openAt<Situation, Facts extends object>(
  { maxSteps, actions, act, facts }: SmallWorld<Situation, Facts>,
  task: Task,
  situation: Situation,
): Episode {
  const ending = ({ won, steps }: State<Facts>): Episode["ending"] =>
    won !== undefined ? "terminated" : steps >= maxSteps ? "truncated" : undefined;
  const start: State<Facts> = { said: `Your task is to: ${task.goal}`, facts, steps: 0, won: undefined };
  return episodeOf<State<Facts>>(task, start, {
    observation: ({ said }) => said,
    stateKey: ({ facts: now, won }) => JSON.stringify([now, won]),
    ending,
    reward: ({ won }) => scored(Number(won === true)),
    success: (state) => (ending(state) === undefined ? null : state.won === true),
    ...(actions === undefined
      ? {}
      : { admissible: (state) => (ending(state) === undefined ? actions(situation, state.facts) : []) }),
    step: (before, action) => {
      const change = act(situation, before.facts, action);
      const { said = "That cannot be done.", won } = change ?? {};
      const state = { said, won, facts: { ...before.facts, ...change?.facts }, steps: before.steps + 1 };
      return { state, valid: change !== undefined, reward: scored(Number(won === true)) };
    },
  });
}

/** Some of a list, each once, in a drawn order. */
export function drawSome<Item>(items: readonly Item[], count: number, rng: Rng): readonly Item[] {
  const left = [...items];
  return Array.from({ length: count }, () => left.splice(rng.int(left.length), 1)[0] as Item);
}

/** One of a list that is never empty. */
export function drawOne<Item>(items: readonly Item[], rng: Rng): Item {
  return items[rng.int(items.length)] as Item;
}
