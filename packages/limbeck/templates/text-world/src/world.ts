/**
 * The world: a number is hidden, and the agent is told whether it lies higher or lower than its guess.
 *
 * Everything that happens follows from the task and the actions: no clock, no `Math.random`. So an episode can be played
 * again and copied at any step. Change the rules below to those of your own world.
 */
import { createRng, scored, type Env, type Episode, type Task, defineWorld } from "limbeck";
import { episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

const ID = "hidden-number";
const HIGHEST = 8;
const MAX_STEPS = 4;
/** Tasks of each split; the seeds of one are those of no other. */
const SPLITS: Readonly<Record<string, { readonly first: number; readonly size: number }>> = {
  train: { first: 0, size: 1_000 },
  valid: { first: 10_000, size: 100 },
};

function createEnv(): Env {
  return {
    id: ID,
    summary: `Find a number from 1 to ${HIGHEST}.`,
    maxSteps: MAX_STEPS,
    splits: Object.fromEntries(Object.entries(SPLITS).map(([name, { size }]) => [name, size])),
    tasks: (split, { offset = 0, count = Infinity } = {}) => {
      const found = SPLITS[split];
      if (found === undefined) throw unknownSplit(ID, split, Object.keys(SPLITS));
      const { first, size } = found;
      return Array.from({ length: Math.max(0, Math.min(count, size - offset)) }, (_, at) => ({
        id: `${ID}/${split}/${offset + at}`,
        env: ID,
        seed: first + offset + at,
        goal: `Find the number from 1 to ${HIGHEST}. Say: guess N.`,
        split,
      }));
    },
    open: (task) => Promise.resolve(open(task)),
  };
}

/** All that changes in an episode. A step makes a new one, so that a copy costs nothing. */
interface State {
  readonly steps: number;
  readonly observation: string;
  readonly won: boolean;
}

function open(task: Task): Episode {
  const hidden = 1 + Math.floor(createRng(task.seed ?? 0).float() * HIGHEST);
  const ending = ({ won, steps }: State): Episode["ending"] =>
    won ? "terminated" : steps >= MAX_STEPS ? "truncated" : undefined;
  const start: State = { steps: 0, observation: task.goal, won: false };
  return episodeOf(task, start, {
    observation: ({ observation }) => observation,
    // Equal keys mean equal states.
    stateKey: ({ observation }) => observation,
    ending,
    reward: ({ won }) => scored(won ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : state.won),
    admissible: (state) =>
      ending(state) === undefined ? Array.from({ length: HIGHEST }, (_, at) => `guess ${at + 1}`) : [],
    step: ({ steps, observation }, action) => {
      const guess = Number(/^guess ([1-9]\d*)$/.exec(action)?.[1] ?? Number.NaN);
      const valid = guess >= 1 && guess <= HIGHEST;
      const won = guess === hidden;
      const answer = won ? "Right." : `The number is ${guess < hidden ? "higher" : "lower"} than ${guess}.`;
      // What is not understood uses up a step and changes nothing else.
      const state = { steps: steps + 1, observation: valid ? answer : observation, won };
      return { state, valid, reward: scored(won ? 1 : 0) };
    },
  });
}

/** Shows how a task is done, from what it has seen alone: it halves what is left. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Halves what is left.",
  start: () => {
    let [low, high] = [1, HIGHEST];
    return {
      next: ({ observation }) => {
        const [, side, guess] = /(higher|lower) than (\d+)/.exec(observation) ?? [];
        if (side === "higher") low = Number(guess) + 1;
        if (side === "lower") high = Number(guess) - 1;
        return `guess ${Math.floor((low + high) / 2)}`;
      },
    };
  },
};

export default defineWorld({
  id: ID,
  info: { title: "Hidden number", meaning: "Finds a number by asking for higher or lower." },
  options: {},
  create: createEnv,
  demonstrators: { expert },
});
