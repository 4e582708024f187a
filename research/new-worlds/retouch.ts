/**
 * Retouch: what shall be done to a picture, said in words, and done with calls of tools. One reply holds all calls as JSON;
 * its tools, their arguments and the whole are judged apart. No picture is seen.
 */
import { createRng, scored, type Env, type Episode, type Task } from "limbeck";
import { canonicalJson, isObject } from "limbeck/base";
import { defineWorld, episodeOf, unknownSplit, type Demonstrator } from "limbeck/env";

/** What a word asks of which tool. */
const WISHES: Readonly<Record<string, readonly [tool: string, sign: number]>> = {
  brighter: ["light", 1],
  darker: ["light", -1],
  warmer: ["tint", 1],
  cooler: ["tint", -1],
  sharper: ["edge", 1],
  softer: ["edge", -1],
};
const AMOUNTS: Readonly<Record<string, number>> = { slightly: 1, clearly: 2, much: 3 };
const PLACES = ["sky", "face", "wall", "lawn", "sea"];
/** Tasks of a split: 8 parts of all requests by their words, so that no request is in two splits. */
const SPLITS: Readonly<Record<string, readonly number[]>> = { train: [0, 1, 2, 3, 4, 5], valid: [6], test: [7] };
const SIZE = 10_000;

/** No interface: a task's data are JSON. */
// oxlint-disable-next-line consistent-type-definitions
type Call = { readonly name: string; readonly arguments: { readonly at: string; readonly by: number } };

interface Request {
  readonly goal: string;
  readonly calls: readonly Call[];
}

/** Two wishes for two places. */
function drawn(seed: number): Request {
  const rng = createRng(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[rng.int(items.length)] as Item;
  const first = pick(PLACES);
  const second = pick(PLACES.filter((place) => place !== first));
  const wishes = [first, second].map((at) => {
    const [amount, word] = [pick(Object.keys(AMOUNTS)), pick(Object.keys(WISHES))];
    const [name, sign] = WISHES[word] as readonly [string, number];
    return {
      words: `the ${at} ${amount} ${word}`,
      call: { name, arguments: { at, by: sign * (AMOUNTS[amount] as number) } },
    };
  });
  return {
    goal: `Make ${wishes.map(({ words }) => words).join(" and ")}.`,
    calls: wishes.map(({ call }) => call),
  };
}

/** Which eighth of all requests it is in. */
const partOf = (goal: string): number =>
  createRng([...goal].reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 2 ** 31, 7)).int(8);

/** The first request from this seed on that is of the split. */
function requestOf(split: string, at: number): Request {
  const parts = SPLITS[split] as readonly number[];
  for (let round = 0; ; round += 1) {
    const request = drawn(at + round * SIZE);
    if (parts.includes(partOf(request.goal))) return request;
  }
}

const env: Env = {
  id: "retouch",
  summary: "Turn wishes for a picture into calls of tools.",
  maxSteps: 1,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    if (SPLITS[split] === undefined) throw unknownSplit("retouch", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const { goal, calls } = requestOf(split, offset + at);
      // The right calls are for the reward; the policy sees the goal alone.
      return {
        id: `retouch/${split}/${offset + at}`,
        env: "retouch",
        seed: offset + at,
        goal,
        split,
        data: { goldCalls: calls },
      };
    });
  },
  open: (task) => Promise.resolve(open(task)),
};

interface State {
  readonly said: string;
  readonly right: boolean | null;
}

const callsOf = (task: Task): readonly Call[] => task.data?.["goldCalls"] as unknown as readonly Call[];

function open(task: Task): Episode {
  const wanted = callsOf(task);
  return episodeOf<State>(
    task,
    { said: task.goal, right: null },
    {
      observation: ({ said }) => said,
      stateKey: ({ said }) => said,
      ending: ({ right }) => (right === null ? undefined : "terminated"),
      reward: ({ right }) => scored(right === true ? 1 : 0),
      success: ({ right }) => right,
      step: (_, action) => {
        const calls = readCalls(action);
        const right = calls !== undefined && canonicalJson(calls) === canonicalJson(wanted);
        return {
          state: { said: right ? "Done as asked." : "Not as asked.", right },
          valid: calls !== undefined,
          reward: scored(right ? 1 : 0),
          info: { parts: { ...judged(calls ?? [], wanted), read: Number(calls !== undefined) } },
        };
      },
    },
  );
}

/** Shares of the wanted calls, in order, whose tool is right, and of their arguments that are right in a call of the right tool. */
function judged(calls: readonly Call[], wanted: readonly Call[]): { tools: number; arguments: number } {
  const same = wanted.map((call, at) => calls[at]?.name === call.name);
  const right = wanted.map(({ arguments: { at, by } }, index) => {
    const given = same[index] === true ? calls[index]?.arguments : undefined;
    return Number(given?.at === at) + Number(given?.by === by);
  });
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { tools: same.filter(Boolean).length / wanted.length, arguments: sum(right) / (2 * wanted.length) };
}

function readCalls(action: string): readonly Call[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(action);
  } catch {
    return undefined;
  }
  const isCall = (value: unknown): boolean =>
    isObject(value as never) &&
    typeof (value as { name?: unknown }).name === "string" &&
    isObject((value as { arguments?: unknown }).arguments as never);
  return Array.isArray(parsed) && parsed.every(isCall) ? (parsed as readonly Call[]) : undefined;
}

const expert: Demonstrator = {
  id: "expert",
  summary: "Knows which tool does what.",
  start: (task) => ({ next: () => JSON.stringify(callsOf(task)) }),
};

export default defineWorld({
  id: "retouch",
  info: { title: "Retouch", meaning: "Turn wishes for a picture into calls of tools." },
  options: {},
  parts: {
    tools: "share of the calls whose tool is right",
    arguments: "share of the arguments that are right",
    read: "1 where the reply is a list of calls",
  },
  create: () => env,
  demonstrators: { expert },
});
