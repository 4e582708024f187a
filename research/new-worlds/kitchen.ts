/** A kitchen: a guest orders three dishes, and a tool that was used must be washed before it is used again. */
import { scored, type Env, type Episode, type Rng, type Task, defineWorld } from "limbeck";
import { drawnEnv, episodeOf, type Demonstrator } from "limbeck/env";

const TOOLS: Readonly<Record<string, string>> = { boil: "pot", fry: "pan", chop: "board" };
const FOODS = ["rice", "egg", "leek", "fish", "bean", "corn"];

/** Tasks without end. Three dishes, in whatever order, are in one of the splits train, valid and test alone. */
const env: Env = drawnEnv({
  id: "kitchen",
  summary: "Cook what a guest orders.",
  maxSteps: 8,
  draw: (_dial, rng) => drawOrder(rng),
  key: (order) => order.toSorted().join(),
  goal: (order) => order.join(", "),
  open,
});

/** Three dishes, each with a food of its own. */
function drawOrder(rng: Rng): readonly string[] {
  const [ways, foods] = [Object.keys(TOOLS), [...FOODS]];
  return [0, 1, 2].map(() => `${ways[rng.int(3)]} ${foods.splice(rng.int(foods.length), 1)[0]}`);
}

interface State {
  readonly said: string;
  readonly left: readonly string[];
  readonly dirty: readonly string[];
  readonly steps: number;
  readonly over: boolean;
}

function open(task: Task, order: readonly string[]): Episode {
  const ending = ({ over, steps }: State): Episode["ending"] =>
    over ? "terminated" : steps >= env.maxSteps ? "truncated" : undefined;
  const won = ({ over, left }: State): boolean => over && left.length === 0;
  const said = `Your task is to: ${order.join(", ")}, serve.`;
  const start: State = { said, left: order, dirty: [], steps: 0, over: false };
  return episodeOf(task, start, {
    observation: (state) => state.said,
    stateKey: ({ left, dirty, over }) => JSON.stringify([left, dirty.toSorted(), over]),
    ending,
    reward: (state) => scored(won(state) ? 1 : 0),
    success: (state) => (ending(state) === undefined ? null : won(state)),
    step: (before, action) => {
      const change = act(before, action);
      const state: State = { ...before, said: "Nothing happens.", ...change, steps: before.steps + 1 };
      return { state, valid: change !== undefined, reward: scored(won(state) ? 1 : 0) };
    },
  });
}

/** What an action changes; undefined where it cannot be done. */
function act({ left, dirty }: State, action: string): Partial<State> | undefined {
  const [, verb = "", thing = ""] = /^(\w+) (\w+)$/.exec(action) ?? [];
  const tool = TOOLS[verb];
  if (action === "serve") return { said: "You serve.", over: true };
  if (verb === "wash" && dirty.includes(thing)) {
    return { said: `Clean ${thing}.`, dirty: dirty.filter((other) => other !== thing) };
  }
  if (tool === undefined || dirty.includes(tool) || !FOODS.includes(thing)) return undefined;
  if (!left.includes(action)) return { said: `Nobody wants that ${thing}.`, over: true };
  return { said: `Dirty ${tool}.`, left: left.filter((dish) => dish !== action), dirty: [...dirty, tool] };
}

/** Cooks dish after dish and washes what it needs again. It acts on what it reads alone. */
const expert: Demonstrator = {
  id: "expert",
  summary: "Cooks dish after dish, and washes what it needs again.",
  start: () => {
    let left: readonly string[] = [];
    const dirty = new Set<string>();
    return {
      next: ({ action, observation }) => {
        left = /^Your task is to: (.*), serve\./.exec(observation)?.[1]?.split(", ") ?? left;
        const [, change, tool = ""] = /^(Dirty|Clean) (\w+)/.exec(observation) ?? [];
        if (change === "Clean") dirty.delete(tool);
        if (change === "Dirty") {
          dirty.add(tool);
          left = left.filter((dish) => dish !== action);
        }
        const next = left[0] ?? "serve";
        const needed = TOOLS[next.split(" ")[0] ?? ""] ?? "";
        return dirty.has(needed) ? `wash ${needed}` : next;
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
