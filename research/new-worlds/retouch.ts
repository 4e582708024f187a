/**
 * Retouch: what shall be done to a picture, said in words, and done with calls of tools. One reply holds all calls as JSON;
 * its tools, their arguments and the whole are judged apart. No picture is seen. With one wish the reply is one flat object.
 */
import { createRng, type Env, type Episode, type Task, option, defineWorld } from "limbeck";
import { type Json, canonicalJson, isObject, parseJson } from "../../packages/base/src/base/json.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { unknownSplit, type Demonstrator } from "limbeck/env";
import { openOneReply } from "./one-reply.ts";

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
const FILES = ["png", "jpg", "gif", "bmp"];
/** Tasks of a split: 8 parts of all requests by their words, so that no request is in two splits. */
const SPLITS: Readonly<Record<string, readonly number[]>> = { train: [0, 1, 2, 3, 4, 5], valid: [6], test: [7] };
const SIZE = 10_000;
/** Characters of a reply. */
const LONGEST = 400;
/** What is judged apart where nothing can be read. */
const NOTHING = { tools: 0, arguments: 0, read: 0 };

/** No interface: a task's data are JSON. */
// oxlint-disable-next-line consistent-type-definitions
type Call = { readonly name: string; readonly arguments: { readonly at: string; readonly by: number } };
// oxlint-disable-next-line consistent-type-definitions
type Order = { readonly tool: string; readonly at: string; readonly by: number; readonly file: string };

interface Request {
  readonly goal: string;
  /** What the reply must be: a list of calls, or one object. */
  readonly right: readonly Call[] | Order;
}

/** Wishes for two places and a call for each; or one wish, a kind of file and one flat object. */
type Reply = "calls" | "object";

function drawn(seed: number, reply: Reply): Request {
  const rng = createRng(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[rng.int(items.length)] as Item;
  const first = rng.int(PLACES.length);
  const second = (first + 1 + rng.int(PLACES.length - 1)) % PLACES.length;
  const wish = (place: number): { readonly words: string; readonly call: Call } => {
    const at = PLACES[place] as string;
    const [amount, word] = [pick(Object.keys(AMOUNTS)), pick(Object.keys(WISHES))];
    const [name, sign] = WISHES[word] as readonly [string, number];
    const by = sign * (AMOUNTS[amount] as number);
    return { words: `the ${at} ${amount} ${word}`, call: { name, arguments: { at, by } } };
  };
  const one = wish(first);
  if (reply === "object") {
    const file = pick(FILES);
    const { name, arguments: own } = one.call;
    return { goal: `Make ${one.words} and save it as ${file}.`, right: { tool: name, ...own, file } };
  }
  const other = wish(second);
  return { goal: `Make ${one.words} and ${other.words}.`, right: [one.call, other.call] };
}

/** Which eighth of all requests it is in. */
const partOf = (goal: string): number =>
  createRng(Array.from(goal).reduce((sum, sign) => (sum * 31 + sign.charCodeAt(0)) % 2 ** 31, 7)).int(8);

/** The first request from this seed on that is of the split. */
function requestOf(split: string, at: number, reply: Reply): Request {
  const parts = SPLITS[split] as readonly number[];
  for (let round = 0; ; round += 1) {
    const request = drawn(at + round * SIZE, reply);
    if (parts.includes(partOf(request.goal))) return request;
  }
}

const envOf = (reply: Reply): Env => ({
  id: "retouch",
  summary: "Turn wishes for a picture into calls of tools.",
  maxSteps: 1,
  splits: Object.fromEntries(Object.keys(SPLITS).map((name) => [name, SIZE])),
  tasks: (split, { offset = 0, count = SIZE } = {}) => {
    if (SPLITS[split] === undefined) throw unknownSplit("retouch", split, Object.keys(SPLITS));
    return Array.from({ length: Math.max(0, Math.min(count, SIZE - offset)) }, (_, at) => {
      const { goal, right } = requestOf(split, offset + at, reply);
      // The right reply is for the reward; the policy sees the goal alone.
      return {
        id: `retouch/${split}/${offset + at}`,
        env: "retouch",
        seed: offset + at,
        goal,
        split,
        data: { [reply === "calls" ? "goldCalls" : "gold"]: right },
      };
    });
  },
  open: (task) => Promise.resolve(open(task)),
});

const rightOf = ({ data }: Task): Request["right"] =>
  (data?.["goldCalls"] ?? data?.["gold"]) as unknown as Request["right"];

function open(task: Task): Episode {
  const wanted = rightOf(task);
  return openOneReply(task, (reply) => {
    const said = reply.length > LONGEST ? undefined : parseJson(reply);
    const reads = Array.isArray(wanted) ? Array.isArray(said) : isObject(said);
    if (!reads) return { right: undefined, said: "", parts: NOTHING };
    const right = canonicalJson(said) === canonicalJson(wanted);
    const parts = Array.isArray(said)
      ? judged(said, wanted as readonly Call[])
      : { arguments: shareRight(said, wanted as Order) };
    return { right, said: right ? "Done as asked." : "Not as asked.", parts: { ...parts, read: 1 } };
  });
}

/** Shares of the wanted calls, in order, whose tool is right, and of their arguments that are right in a call of the right tool. */
function judged(calls: readonly Json[], wanted: readonly Call[]): { tools: number; arguments: number } {
  const given = calls.map((call) => (isObject(call) ? call : {}));
  const same = wanted.map((call, at) => given[at]?.["name"] === call.name);
  const right = wanted.map((call, at) =>
    same[at] === true ? shareRight(given[at]?.["arguments"], call.arguments) : 0,
  );
  return { tools: mean(same.map(Number)), arguments: mean(right) };
}

const shareRight = (given: Json | undefined, wanted: Readonly<Record<string, string | number>>): number =>
  mean(Object.entries(wanted).map(([name, value]) => Number(isObject(given) && given[name] === value)));

const expert: Demonstrator = {
  id: "expert",
  summary: "Knows which tool does what.",
  start: (task) => ({ next: () => JSON.stringify(rightOf(task)) }),
};

export default defineWorld({
  id: "retouch",
  info: { title: "Retouch", meaning: "Turn wishes for a picture into calls of tools." },
  options: { reply: option.choice("calls", ["calls", "object"], "two wishes as calls, or one as a flat object") },
  parts: {
    tools: "share of the calls whose tool is right",
    arguments: "share of the arguments that are right",
    read: "1 where the reply is JSON of the asked kind",
  },
  create: ({ reply }) => envOf(reply),
  demonstrators: { expert },
});
