/**
 * The world: an action is a call of a tool, written as JSON. The task is to ship all pieces of an item, so the agent has
 * to count them first.
 *
 *     {"name": "count", "arguments": {"item": "lamp"}}
 *     {"name": "ship", "arguments": {"item": "lamp", "pieces": 3}}
 */
import { createRng, scored, type Env, type Episode, type Task, defineWorld } from "limbeck";
import { episodeOf, unknownSplit, type Demonstrator, callAction, parseAction } from "limbeck/env";
import { callTool, definitions, type Outcome, type Shelves } from "./tools.ts";

const ID = "warehouse";
const ITEMS = ["lamp", "chair", "book", "cup"] as const;
const MOST = 5;
const MAX_STEPS = 4;
/** Tasks of each split; the seeds of one are those of no other. */
const SPLITS: Readonly<Record<string, { readonly first: number; readonly size: number }>> = {
  train: { first: 0, size: 1_000 },
  valid: { first: 10_000, size: 100 },
};

function createEnv(): Env {
  return {
    id: ID,
    summary: "Ship all pieces of an item with the tools of a warehouse.",
    maxSteps: MAX_STEPS,
    splits: Object.fromEntries(Object.entries(SPLITS).map(([name, { size }]) => [name, size])),
    tasks: (split, { offset = 0, count = Infinity } = {}) => {
      const found = SPLITS[split];
      if (found === undefined) throw unknownSplit(ID, split, Object.keys(SPLITS));
      const { first, size } = found;
      return Array.from({ length: Math.max(0, Math.min(count, size - offset)) }, (_, at) => {
        const seed = first + offset + at;
        return { id: `${ID}/${split}/${offset + at}`, env: ID, seed, goal: `Ship every ${wantedItem(seed)}.`, split };
      });
    },
    open: (task) => Promise.resolve(open(task)),
  };
}

function wantedItem(seed: number): string {
  return ITEMS[seed % ITEMS.length] ?? ITEMS[0];
}

/** Every item has 1 to MOST pieces, drawn from the task's seed. */
function shelvesOf(task: Task): Shelves {
  const rng = createRng(task.seed ?? 0);
  return Object.fromEntries(ITEMS.map((item) => [item, 1 + Math.floor(rng.float() * MOST)]));
}

interface State {
  readonly steps: number;
  readonly observation: string;
  readonly shelves: Shelves;
  readonly shipped: Outcome["shipped"];
}

function open(task: Task): Episode {
  const wanted = wantedItem(task.seed ?? 0);
  const full = shelvesOf(task);
  const won = ({ shipped }: State): boolean => shipped?.item === wanted && shipped.pieces === full[wanted];
  const ending = ({ shipped, steps }: State): Episode["ending"] =>
    shipped !== undefined ? "terminated" : steps >= MAX_STEPS ? "truncated" : undefined;
  const start: State = { steps: 0, observation: task.goal, shelves: full, shipped: undefined };
  return episodeOf(task, start, {
    observation: ({ observation }) => observation,
    stateKey: ({ shelves, shipped, observation }) => JSON.stringify([shelves, shipped ?? null, observation]),
    ending,
    reward: (state) => scored(won(state) ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : won(state)),
    tools: definitions,
    // Nothing brings a shipment back: a careful search asks before it tries.
    irreversible: (state, action) => {
      const parsed = parseAction(action);
      return ending(state) === undefined && parsed.kind === "call" && parsed.name === "ship";
    },
    step: (state, action) => {
      const parsed = parseAction(action);
      const steps = state.steps + 1;
      // What is no call uses up a step and changes nothing else.
      if (parsed.kind !== "call") return { state: { ...state, steps }, valid: false, reward: scored(0) };
      const { ok, text, shelves, shipped } = callTool(parsed.name, parsed.arguments, state.shelves);
      if (!ok) return { state: { ...state, steps }, valid: false, reward: scored(0), info: { refused: text } };
      const next: State = { steps, observation: text, shelves, shipped };
      return { state: next, valid: true, reward: scored(won(next) ? 1 : 0) };
    },
  });
}

/** Shows how a task is done, from what it has seen alone: it counts, then ships what it counted. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Counts, then ships.",
  start: ({ goal }) => {
    const item = /every (\w+)/.exec(goal)?.[1] ?? "";
    return {
      next: ({ observation }) => {
        const pieces = /^(\d+) pieces$/.exec(observation)?.[1];
        return pieces === undefined
          ? callAction("count", { item })
          : callAction("ship", { item, pieces: Number(pieces) });
      },
    };
  },
};

export default defineWorld({
  id: ID,
  info: { title: "Warehouse", meaning: "Ships all pieces of an item, with tools." },
  options: {},
  create: createEnv,
  demonstrators: { expert },
});
