/**
 * Tree-Planner with plans that a model writes, against the same model asked at every step: tokens for each solved task.
 *
 *     npx tsx research/proofs/written-plans.ts
 *
 * The model is a script behind the interface of chat models, which knows how errands are done and no house: it acts by what the
 * conversation holds, and writes plans by the first observation alone. A token is four characters, for both sides.
 */
import { search, createRng, type Task } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { shuffle } from "../../packages/base/src/base/rng.ts";
import { appliances } from "../../packages/worlds/src/household/families.ts";
import { expert } from "../../packages/worlds/src/household/demonstrators.ts";
import { readGoal } from "../../packages/worlds/src/household/goal.ts";
import { createChatPolicy, openChatModel } from "limbeck/policy";
import { createAsker } from "../../packages/core/src/walk/tree/asker.ts";

const SEEDS = [31, 32, 33, 34, 35];
const TASKS = 40;
const PLANS = 24;
const SHUTS = /^(cabinet|drawer|fridge|microwave|safe) /;

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text?: string }[];
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const textOf = ({ content }: Message): string =>
  typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** What it says next: plans where it is asked for plans, an action otherwise. */
function reply(messages: readonly Message[]): string {
  const last = textOf(messages.at(-1) as Message);
  const wanted = /Write (\d+) different whole plans/.exec(last)?.[1];
  if (wanted !== undefined) return plansFor(last, Number(wanted)).join("\n\n");
  const told = messages.filter(({ role }) => role === "user").map(textOf);
  const done = messages.filter(({ role }) => role === "assistant").map((one) => textOf(one).trim());
  const task = { id: "", env: "household", seed: 0, goal: goalIn(told[0] ?? ""), split: "test" } satisfies Task;
  const mind = expert.start(task, createRng("script"));
  let action = "";
  for (const [at, observation] of told.entries()) {
    action = mind.next({ action: done[at - 1], observation, admissible: undefined });
  }
  return action;
}

const goalIn = (text: string): string => /(?:Goal|Your task is to): "?([^\n"]+)/.exec(text)?.[1] ?? "";

/** A plan for each place where the thing may lie, places in an order of chance; then the same for a second thing of its kind. */
function plansFor(prompt: string, count: number): string[] {
  const { thing, treatment, target, underLamp } = readGoal(goalIn(prompt));
  const seen = /you see (.+?)\.(?:\n|\\n|")/.exec(prompt)?.[1] ?? "";
  const places = [...seen.matchAll(/an? (\w+ \d+)/g)].map(([, name]) => name as string);
  const goal = places.find((name) => name.startsWith(`${target} `));
  const tool = treatment === undefined ? undefined : appliances[treatment].toLowerCase();
  const appliance = places.find((name) => tool !== undefined && name.startsWith(`${tool} `));
  const end = (name: string): string[] => [
    ...(appliance === undefined ? [] : [`go to ${appliance}`, `${treatment} ${name} with ${appliance}`]),
    ...(underLamp
      ? [`use ${target} 1`]
      : goal === undefined
        ? []
        : [`go to ${goal}`, ...(SHUTS.test(goal) ? [`open ${goal}`] : []), `move ${name} to ${goal}`]),
  ];
  const order = shuffle(
    places.filter((place) => place !== goal || underLamp),
    createRng(prompt),
  );
  const ways = [1, 2].flatMap((number) =>
    order.flatMap((place) => {
      const take = `take ${thing} ${number} from ${place}`;
      const tries = SHUTS.test(place) ? [[`open ${place}`, take], [take]] : [[take]];
      return tries.map((way) => [`go to ${place}`, ...way, ...end(`${thing} ${number}`)]);
    }),
  );
  // Where two things of a kind are wanted the policy goes on alone with the second one.
  return ways.slice(0, count).map((plan) => plan.join("\n"));
}

const model = openChatModel({
  specificationVersion: "v2",
  provider: "script",
  modelId: "planner",
  doGenerate: async ({ prompt }: { readonly prompt: readonly unknown[] }) => {
    const messages = prompt as readonly Message[];
    const text = await Promise.resolve(reply(messages));
    const inputTokens = messages.reduce((sum, message) => sum + tokensOf(textOf(message)), 0);
    const usage = { inputTokens, outputTokens: tokensOf(text), totalTokens: inputTokens + tokensOf(text) };
    return { content: [{ type: "text", text }], finishReason: "stop", usage, warnings: [] };
  },
});
const policy = createChatPolicy(model);

interface Arm {
  readonly name: string;
  readonly search: string;
  readonly searchOptions: Readonly<Record<string, unknown>>;
}
const ARMS: readonly Arm[] = [
  { name: "step by step", search: "best-of-n", searchOptions: { n: 1 } },
  { name: "tree-planner", search: "tree-planner", searchOptions: { plans: PLANS, answers: "together" } },
  {
    name: "tree-planner, forks not asked",
    search: "tree-planner",
    searchOptions: { plans: PLANS, answers: "together", ask: false },
  },
];

const DIALS = ["tiny", "small"] as const;
for (const dial of DIALS) {
  print(`| household ${dial} | solved | tokens for each solved task | against step by step | model calls a task |`);
  print("| --- | ---: | ---: | ---: | ---: |");
  const base: { solved: number; tokens: number }[] = [];
  for (const { name, search: method, searchOptions } of ARMS) {
    const units: { solved: number; tokens: number; calls: number }[] = [];
    for (const seed of SEEDS) {
      const { outcomes } = await search({
        env: "household",
        envOptions: { dial },
        policy,
        search: method,
        searchOptions,
        asker: createAsker(policy),
        tasks: TASKS,
        split: "test",
        offset: seed * TASKS,
        seed,
      });
      for (const { episode, spent } of outcomes)
        units.push({ solved: Number(episode.success === true), tokens: spent.tokens, calls: spent.modelCalls });
    }
    if (base.length === 0) base.push(...units);
    const cost = (of: readonly { solved: number; tokens: number }[]): number =>
      of.reduce((sum, one) => sum + one.tokens, 0) / of.reduce((sum, one) => sum + one.solved, 0);
    const pairs = units.map((own, at) => ({ own, base: base[at] as { solved: number; tokens: number } }));
    const ratio = (of: readonly (typeof pairs)[number][]): number =>
      cost(of.map(({ own }) => own)) / cost(of.map((one) => one.base)) - 1;
    const { low, high } = resampled(pairs, ratio);
    const solved = mean(units.map((one) => one.solved));
    const lift = resampled(pairs, (of) => mean(of.map(({ own, base: other }) => own.solved - other.solved)));
    const change =
      name === "step by step"
        ? ""
        : `${percent(ratio(pairs))} [${percent(low)}, ${percent(high)}], solved ${percent(lift.low)} to ${percent(lift.high)}`;
    print(
      `| ${name} | ${percent(solved)} | ${cost(units).toFixed(0)} | ${change} | ${mean(units.map(({ calls }) => calls)).toFixed(1)} |`,
    );
  }
  print("");
}
await policy.close();

function resampled<T>(items: readonly T[], of: (sample: readonly T[]) => number): { low: number; high: number } {
  const rng = createRng("resampled");
  const found = Array.from({ length: 2_000 }, () => of(items.map(() => items[rng.int(items.length)] as T))).toSorted(
    (a, b) => a - b,
  );
  return { low: found[50] as number, high: found[1_949] as number };
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)}%`;
}
