/**
 * A world of your own: an object with tasks, and episodes that answer to actions. Here a number is to be guessed.
 *
 *     npx tsx examples/own-world.ts            # measures two players, then trains a model for 20 updates
 *     npx tsx examples/own-world.ts --tiny     # one small update, to see it run
 *
 * `checkEnv` of limbeck/testing tells whether a world keeps its promises; docs/lookup/environments.md lists them.
 */
import { createRng, evaluate, openEnv, scored, train, type Env, type Episode, type Task } from "limbeck";
import { episodeOf, unknownSplit } from "limbeck/env";
import { createScriptedPolicy } from "limbeck/policy";

const tiny = process.argv.includes("--tiny");
const HIGHEST = 8;
const MAX_STEPS = 5;
const SIZES: Readonly<Record<string, number>> = { train: 200, valid: 50 };

const guessing: Env = {
  id: "guessing",
  summary: `Find a number from 1 to ${HIGHEST}.`,
  maxSteps: MAX_STEPS,
  splits: SIZES,
  tasks: (split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) => {
    const size = SIZES[split];
    if (size === undefined) throw unknownSplit("guessing", split, Object.keys(SIZES));
    return Array.from({ length: Math.max(0, Math.min(count, size - offset)) }, (_, at) => ({
      id: `guessing-${split}-${offset + at}`,
      env: "guessing",
      seed: split === "train" ? offset + at : 1_000 + offset + at,
      goal: `Find the number from 1 to ${HIGHEST}. Say: guess N.`,
      split,
    }));
  },
  open: (task) => Promise.resolve(guess(task)),
};

interface State {
  readonly steps: number;
  readonly observation: string;
  readonly won: boolean;
}

/** Everything that happens depends on the task and the actions alone: no clock, no `Math.random`. */
function guess(task: Task): Episode {
  const secret = 1 + Math.floor(createRng(task.seed ?? 0).float() * HIGHEST);
  const ending = ({ won, steps }: State): Episode["ending"] =>
    won ? "terminated" : steps >= MAX_STEPS ? "truncated" : undefined;
  const start: State = { steps: 0, observation: task.goal, won: false };
  return episodeOf(task, start, {
    observation: ({ observation }) => observation,
    stateKey: ({ steps, observation }) => `${steps} ${observation}`,
    ending,
    reward: ({ won }) => scored(won ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : state.won),
    admissible: (state) =>
      ending(state) === undefined ? Array.from({ length: HIGHEST }, (_, at) => `guess ${at + 1}`) : [],
    step: ({ steps, observation }, action) => {
      const said = Number(/^guess ([1-9]\d*)$/.exec(action)?.[1] ?? Number.NaN);
      const valid = said >= 1 && said <= HIGHEST;
      const won = said === secret;
      const answer = won ? "Right." : said < secret ? "Higher." : "Lower.";
      // What is not understood changes nothing but the clock.
      const state = { steps: steps + 1, observation: valid ? answer : observation, won };
      return { state, valid, reward: scored(won ? 1 : 0) };
    },
  });
}

// A policy in plain code: it halves what is left. The conversation so far is all it knows.
const halving = createScriptedPolicy({
  name: "halving",
  script: ({ text }) => {
    let [low, high] = [1, HIGHEST];
    let guess = Math.floor((low + high) / 2);
    for (const [answer] of text.matchAll(/Higher|Lower/g)) {
      if (answer === "Higher") low = guess + 1;
      else high = guess - 1;
      guess = Math.floor((low + high) / 2);
    }
    return `guess ${guess}`;
  },
});
const { success } = await evaluate({ env: guessing, policy: halving, split: "valid" });
process.stdout.write(`halving solves ${success}\n`);

// Worlds that come with the package are opened by name; one of your own goes wherever a name does.
process.stdout.write(`${(await openEnv("countdown")).summary}\n${guessing.summary}\n`);
const { before, after } = await train({
  env: guessing,
  recipe: "grpo",
  steps: tiny ? 1 : 20,
  validation: { every: 0 },
  report: { tasks: tiny ? 2 : 50 },
  settings: tiny ? { tasks: 1, group: 2, maxSteps: 2 } : {},
});
process.stdout.write(`the bundled model before ${before.success}, after ${after.success}\n`);
