/** Quests as a world: every task is a world of its own, drawn from its seed. For the base model alone; it is in no list. */
import { createRng, type Env, type Episode, scored, type Task } from "limbeck";
import { episodeOf } from "limbeck/env";
import { guess, type StartingWorld } from "../worlds/starting-world.ts";
import { questKinds } from "./kinds.ts";
import type { Quest } from "./quest.ts";
import { oneOf, questWords } from "./words.ts";

const MAX_STEPS = 16;
const TASKS = 4_000;
/** How often a novice sees the right way. */
const CHANCES = { seesIt: 0.75 };

interface Made {
  readonly quest: Quest<unknown>;
  /** Whether what can be done stands below everything that is shown. */
  readonly listed: boolean;
}

export function questOf(seed: number): Made {
  const rng = createRng(`quest ${seed}`);
  const kinds = Object.values(questKinds);
  const make = kinds[rng.int(kinds.length)] as (typeof kinds)[number];
  return {
    listed: rng.float() < 0.6,
    // What a state is, its own kind alone knows.
    quest: make(rng, questWords(rng)) as unknown as Quest<unknown>,
  };
}

export const questEnv: Env = {
  id: "quests",
  summary: "Little worlds that are made up, each for one task.",
  maxSteps: MAX_STEPS,
  splits: { train: Number.POSITIVE_INFINITY },
  *tasks(split, { offset = 0, count = Number.POSITIVE_INFINITY } = {}) {
    for (let at = offset; at < offset + count; at += 1) {
      yield { id: `quests/${at}`, env: "quests", seed: at, goal: questOf(at).quest.goal, split };
    }
  },
  open: async (task) => open(task),
};

interface Shown {
  readonly state: unknown;
  readonly steps: number;
  readonly observation: string;
}

function open(task: Task): Episode {
  const { quest, listed } = questOf(task.seed ?? 0);
  const text = (state: unknown, told: string): string =>
    listed && quest.ended(state) === undefined ? `${told}\nYou can: ${quest.commands(state).join(", ")}.` : told;
  const ending = ({ state, steps }: Shown): Episode["ending"] =>
    quest.ended(state) !== undefined ? "terminated" : steps >= MAX_STEPS ? "truncated" : undefined;
  const won = ({ state }: Shown): boolean => quest.ended(state) === "won";
  // Where nothing is listed, two examples show how commands are spelt.
  const [one, two] = quest.commands(quest.start);
  const examples = listed ? "" : ` For example: ${[one, two].filter((command) => command !== undefined).join(", ")}.`;
  const opening = `${quest.goal} ${quest.opening}${examples}`;
  return episodeOf<Shown>(
    task,
    { state: quest.start, steps: 0, observation: text(quest.start, opening) },
    {
      observation: ({ observation }) => observation,
      stateKey: ({ state }) => JSON.stringify(state),
      ending,
      reward: (shown) => scored(won(shown) ? 1 : 0),
      success: (shown) => (ending(shown) === undefined ? null : won(shown)),
      admissible: ({ state }) => (quest.ended(state) === undefined ? quest.commands(state) : []),
      step: ({ state, steps }, action) => {
        const told = quest.act(state, action);
        const next = told?.state ?? state;
        const shown = { state: next, steps: steps + 1, observation: text(next, told?.text ?? "That is not possible.") };
        return { state: shown, valid: told !== undefined, reward: scored(won(shown) ? 1 : 0) };
      },
    },
  );
}

export const quests: StartingWorld = {
  name: "quests",
  options: {},
  chances: CHANCES,
  place: (shard) => ({ options: {}, offset: shard * TASKS, count: TASKS }),
  shards: 12,
  updates: 0,
  lessonsPerTask: 2,
  mostTokens: 900,
  answerTokens: 32,
  freeText: false,
  start: (task) => {
    const { quest } = questOf(task.seed ?? 0);
    let state = quest.start;
    return {
      see: ({ action }) => {
        if (action !== undefined) state = quest.act(state, action)?.state ?? state;
        return guess(quest.best(state), CHANCES.seesIt, quest.commands(state));
      },
    };
  },
  essential: (actions) => actions,
  otherWords: (command) => [`"${command}"`, `the command ${command}`, `${command}, please`, oneOf(createRng(command), "this: ", "now: ") + command, `exactly ${command}`], // prettier-ignore
};
