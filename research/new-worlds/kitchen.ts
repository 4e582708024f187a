/** A kitchen: a guest orders dishes, and a tool that was used has to be washed before it is used again. */
import { createRng, scored, type Env, type Episode, type Task } from "limbeck";
import { defineWorld, episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

const TOOLS: Readonly<Record<string, string>> = { boil: "pot", fry: "pan", chop: "board" };
const FOODS = ["rice", "egg", "leek", "fish", "bean", "corn"];
const SPLITS: Readonly<Record<string, number>> = { train: 0, valid: 1_000_000, test: 2_000_000 };
const SIZE = 10_000;

const env: Env = {
  id: "kitchen",
  summary: "Cook what a guest orders.",
  maxSteps: 8,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    const first = SPLITS[split];
    if (first === undefined) throw unknownSplit("kitchen", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const seed = first + offset + at;
      return { id: `kitchen/${split}/${offset + at}`, env: "kitchen", seed, goal: orderOf(seed).join(", "), split };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

/** Three commands, each with a food of its own. */
function orderOf(seed: number): readonly string[] {
  const rng = createRng(seed);
  const [ways, foods] = [Object.keys(TOOLS), [...FOODS]];
  return [0, 1, 2].map(() => `${ways[rng.int(3)]} ${foods.splice(rng.int(foods.length), 1)[0]}`);
}

interface State {
  readonly said: string;
  readonly done: readonly string[];
  readonly dirty: readonly string[];
  readonly steps: number;
  readonly end: "served" | "spoiled" | undefined;
}

function open(task: Task): Episode {
  const order = orderOf(task.seed ?? 0);
  const won = ({ end, done }: State): boolean => end === "served" && done.length === order.length;
  const ending = ({ end, steps }: State): Episode["ending"] =>
    end !== undefined ? "terminated" : steps >= env.maxSteps ? "truncated" : undefined;
  const opening = `Your task is to: ${order.join(", ")}, then serve.`;
  return episodeOf<State>(
    task,
    { said: opening, done: [], dirty: [], steps: 0, end: undefined },
    {
      observation: ({ said }) => said,
      stateKey: ({ done, dirty, end }) => JSON.stringify([done.toSorted(), dirty.toSorted(), end]),
      ending,
      reward: (state) => scored(won(state) ? 1 : 0),
      success: (state) => (ending(state) === undefined ? null : won(state)),
      step: (before, action) => {
        const { state, valid } = act(order, { ...before, steps: before.steps + 1 }, action);
        return { state, valid, reward: scored(won(state) ? 1 : 0) };
      },
    },
  );
}

function act(
  order: readonly string[],
  state: State,
  action: string,
): { readonly state: State; readonly valid: boolean } {
  const [, verb = "", thing = ""] = /^(\w+)(?: (\w+))?$/.exec(action) ?? [];
  const tool = TOOLS[verb];
  const { done, dirty } = state;
  if (action === "serve") return { state: { ...state, said: "You serve.", end: "served" }, valid: true };
  if (verb === "wash" && dirty.includes(thing)) {
    const left = dirty.filter((other) => other !== thing);
    return { state: { ...state, said: `The ${thing} is clean.`, dirty: left }, valid: true };
  }
  if (tool === undefined || !FOODS.includes(thing))
    return { state: { ...state, said: "Nothing happens." }, valid: false };
  if (dirty.includes(tool)) return { state: { ...state, said: `The ${tool} is dirty.` }, valid: false };
  if (!order.includes(action) || done.includes(action)) {
    return { state: { ...state, said: `The ${thing} is spoiled.`, end: "spoiled" }, valid: true };
  }
  const said = `You ${action}. The ${tool} is dirty.`;
  return { state: { ...state, said, done: [...done, action], dirty: [...dirty, tool] }, valid: true };
}

/** Cooks in the order of the order and washes when it must. It acts on what it reads alone. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Cooks dish after dish, and washes what it needs again.",
  start: () => {
    let left: string[] = [];
    const dirty = new Set<string>();
    return {
      next: ({ action, observation }) => {
        const order = /Your task is to: (.*), then serve/.exec(observation)?.[1];
        if (order !== undefined) left = order.split(", ");
        const [, used, clean] =
          /The (\w+) is dirty|The (\w+) is clean/.exec(order === undefined ? observation : "") ?? [];
        if (observation.startsWith("You ")) left = left.filter((dish) => dish !== action);
        if (used !== undefined) dirty.add(used);
        if (clean !== undefined) dirty.delete(clean);
        const next = left[0];
        const tool = TOOLS[next?.split(" ")[0] ?? ""];
        if (next === undefined) return "serve";
        return tool !== undefined && dirty.has(tool) ? `wash ${tool}` : next;
      },
    };
  },
};

export default defineWorld({
  id: "kitchen",
  info: { title: "Kitchen", meaning: "Cooks what a guest orders, with tools that get dirty." },
  options: {},
  create: () => env,
  demonstrators: { expert },
});
