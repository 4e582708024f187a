/**
 * The world of the agent: tasks, and an episode in which its tools act. It decides whether a task was done, whoever acts:
 * the AI SDK agent of agent.ts with any model, or the small model that npm run train teaches.
 */
import { scored, type Env, type Episode, type Task, defineWorld, type JsonObject } from "limbeck";
import { episodeOf, unknownSplit, type Demonstrator, callAction, parseAction } from "limbeck/env";
import { z } from "zod";
import { callTool, descriptions, inputs, priceOf, type Outcome, type ToolName } from "./desk.ts";

const ID = "refund-desk";
const MAX_STEPS = 4;
/** Orders of each split; those of one are those of no other. */
const SPLITS: Readonly<Record<string, { readonly first: number; readonly size: number }>> = {
  train: { first: 100, size: 600 },
  valid: { first: 800, size: 100 },
};

const definitions = (Object.keys(inputs) as ToolName[]).map((name) => ({
  type: "function",
  function: { name, description: descriptions[name], parameters: z.toJSONSchema(inputs[name]) as JsonObject },
}));

function createEnv(): Env {
  return {
    id: ID,
    summary: "Pays back what an order cost, with two tools.",
    maxSteps: MAX_STEPS,
    splits: Object.fromEntries(Object.entries(SPLITS).map(([name, { size }]) => [name, size])),
    tasks: (split, { offset = 0, count = Infinity } = {}) => {
      const found = SPLITS[split];
      if (found === undefined) throw unknownSplit(ID, split, Object.keys(SPLITS));
      const { first, size } = found;
      return Array.from({ length: Math.max(0, Math.min(count, size - offset)) }, (_, at) => {
        const seed = first + offset + at;
        return { id: `${ID}/${split}/${seed}`, env: ID, seed, goal: `Refund order A${seed} please.`, split };
      });
    },
    open: (task) => Promise.resolve(open(task)),
  };
}

interface State {
  readonly steps: number;
  readonly observation: string;
  readonly paid: Outcome["paid"];
}

function open(task: Task): Episode {
  const order = `A${task.seed}`;
  const won = ({ paid }: State): boolean => paid?.order === order && paid.cents === priceOf(order);
  const ending = ({ paid, steps }: State): Episode["ending"] =>
    paid !== undefined ? "terminated" : steps >= MAX_STEPS ? "truncated" : undefined;
  const start: State = { steps: 0, observation: task.goal, paid: undefined };
  return episodeOf(task, start, {
    observation: ({ observation }) => observation,
    stateKey: ({ paid, observation }) => JSON.stringify([paid ?? null, observation]),
    ending,
    reward: (state) => scored(won(state) ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : won(state)),
    tools: definitions,
    // Nobody sends the money back: a careful search asks before it tries.
    irreversible: (state, action) => {
      const parsed = parseAction(action);
      return ending(state) === undefined && parsed.kind === "call" && parsed.name === "refund";
    },
    step: (state, action) => {
      const parsed = parseAction(action);
      const steps = state.steps + 1;
      // What is no call uses up a step and changes nothing else.
      if (parsed.kind !== "call") return { state: { ...state, steps }, valid: false, reward: scored(0) };
      const { ok, text, paid } = callTool(parsed.name, parsed.arguments);
      if (!ok) return { state: { ...state, steps }, valid: false, reward: scored(0), info: { refused: text } };
      const next: State = { steps, observation: text, paid };
      return { state: next, valid: true, reward: scored(won(next) ? 1 : 0) };
    },
  });
}

/** Shows how a task is done, from what it has seen alone: it looks the order up, then pays what it cost. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Looks the order up, then pays.",
  start: ({ goal }) => {
    const order = /order (\w+)/.exec(goal)?.[1] ?? "";
    return {
      next: ({ observation }) => {
        const cents = /cost (\d+) cents/.exec(observation)?.[1];
        return cents === undefined
          ? callAction("lookup", { order })
          : callAction("refund", { order, cents: Number(cents) });
      },
    };
  },
};

export default defineWorld({
  id: ID,
  info: { title: "Refund desk", meaning: "Pays back what an order cost, with two tools." },
  options: {},
  create: createEnv,
  demonstrators: { expert },
});
