import { describe, expect, test } from "vitest";
import { createCorridor } from "../env/corridor.ts";
import { envContract } from "../env/env.contract.ts";
import type { Demonstrator } from "../env/expert.ts";
import { createStrategy } from "../rollout/registry.ts";
import { createDemonstratorAgent } from "../walk/mind/demonstrator-agent.ts";
import { rollOut } from "../walk/line/roll-out.ts";
import type { Score, Task } from "limbeck-base/trajectory/trajectory";
import { published } from "../../../../test/support/published.ts";
import { scoreValue } from "limbeck-base/trajectory/score";
import { createDemonstratorExpert, type Expert } from "./expert.ts";
import { isOrchestrated, withExperts } from "./with-experts.ts";

const east: Demonstrator = { id: "east", summary: "Goes east.", start: () => ({ next: () => "go east" }) };
const west: Demonstrator = { id: "west", summary: "Goes west.", start: () => ({ next: () => "go west" }) };
const guide = createDemonstratorExpert({
  name: "guide",
  skill: "ways",
  description: "knows\nthe way",
  price: 2,
  demonstrator: east,
});
const fool = createDemonstratorExpert({ name: "fool", skill: "none", description: "", price: 1, demonstrator: west });
const experts: readonly Expert[] = [guide, fool];
/** Our own form: a price, no word on the form, one action a call, and the policy may act. */
const priced = { costWeight: 0.1, formatPenalty: 0, turns: 1, actsItself: true } as const;

const corridor = createCorridor({ rooms: 3, maxSteps: 6 });
const [task] = [...(corridor.tasks("train", { count: 1 }) as Iterable<Task>)] as [Task];

for (const role of ["acts", "advises"] as const) {
  envContract({
    name: `a corridor whose experts ${role === "acts" ? "act" : "advise"}`,
    env: withExperts(corridor, { experts, role, mostCalls: 3, turns: 1, actsItself: true }),
    runner: { describe, test },
    runs: 8,
  });
}
envContract({
  name: "a corridor in which only experts act",
  env: withExperts(corridor, { experts, remind: true }),
  runner: { describe, test },
  runs: 8,
});

test("the list stands at the opening, one line an expert, and what else can be done", async () => {
  const env = withExperts(corridor, { ...priced, experts });
  const episode = await env.open(task);
  expect(episode.observation).toMatch(/^Room 1\.\n\nExperts:\n/);
  expect(episode.observation).toContain("\nask guide (costs 2): knows the way\n");
  expect(episode.observation).toMatch(/\nOr act yourself, or: stop$/);
  expect(new Set(episode.admissible())).toEqual(new Set(["ask guide", "ask fool", "stop", "go east"]));
  await episode.step("go east");
  expect(episode.observation).toBe("Room 2.");
  expect(isOrchestrated(env)).toBe(true);
  expect(isOrchestrated(corridor)).toBe(false);
});

test("with a price the reward is the outcome minus what was paid, and calls carry out the expert's action", async () => {
  const episode = await withExperts(corridor, { ...priced, experts }).open(task);
  // Room 1 to 2: nothing earned, 0.1 * 2 paid.
  const first = await episode.step("ask guide");
  expect(first.reward).toEqual({ kind: "scored", value: -0.2 });
  expect(first.observation).toBe("Room 2.\n\nguide did: go east.");
  expect(first.info).toEqual({
    orchestrate: { expert: "guide", query: "Reach room 3.", price: 2, actions: ["go east"] },
  });
  const own = await episode.step("go east");
  expect(own).toMatchObject({ success: true, ending: "terminated", reward: { value: 1 } });
  // 1 for the last room, less 0.2.
  expect(episode.reward).toEqual({ kind: "scored", value: 0.8 });
});

test("by default nothing is paid, and the list names no prices", async () => {
  const episode = await withExperts(corridor, { experts }).open(task);
  expect(episode.observation).toContain("\nask guide: knows the way\n");
  expect(episode.observation).toMatch(/\nOr: stop$/);
  const solved = await episode.step("ask guide");
  // A right answer with one call is worth 1, whatever the expert's price.
  expect(solved).toMatchObject({ success: true, ending: "terminated", reward: { value: 1 } });
  expect(episode.reward).toEqual({ kind: "scored", value: 1 });
});

/** The rewards of an episode's steps, and the whole. */
async function rewardsOf(actions: readonly string[], options = {}): Promise<readonly unknown[]> {
  const env = withExperts(corridor, { experts: [guide], turns: 1, mostCalls: 2, ...options });
  const episode = await env.open(task);
  const rewards: unknown[] = [];
  for (const action of actions) rewards.push((await episode.step(action)).reward);
  return [...rewards, episode.reward].map((reward) => scoreValue(reward as Score));
}

test("an episode pays 1, once and at its end, for what is missing in its form", async () => {
  // A right answer without a call: 1 - 1. With one: 1.
  expect(await rewardsOf(["go east", "go east"], { actsItself: true })).toEqual([0, 0, 0]);
  expect(await rewardsOf(["go east", "ask guide"], { actsItself: true })).toEqual([0, 1, 1]);
  // Two answers nobody understood, an unknown name among them, are one fault.
  expect(await rewardsOf(["ask nobody", "hm", "ask guide", "ask guide"])).toEqual([0, 0, 0, 0, 0]);
  // One call too many is no fault of form.
  expect(await rewardsOf(["ask guide", "ask guide"], { turns: 1 })).toEqual([0, 1, 1]);
  // Stopped after a call, unsolved; stopped at once.
  expect(await rewardsOf(["ask guide", "stop"])).toEqual([0, 0, 0]);
  expect(await rewardsOf(["stop"])).toEqual([-1, -1]);
  expect(await rewardsOf(["stop"], { formatPenalty: 0 })).toEqual([0, 0]);
});

test("an episode that the policy does not end pays; one that an expert could not end does not", async () => {
  const idle = { actsItself: true, experts: [guide, fool] };
  expect(await rewardsOf(["ask guide", "look", "look", "look", "look", "look"], idle)).toEqual([0, 0, 0, 0, 0, -1, -1]);
  expect(await rewardsOf(["ask fool"], { experts: [fool], turns: null })).toEqual([0, 0]);
});

interface FormCase {
  /** "known", "unknown" (a model that is not there) or "malformed". */
  readonly calls: readonly string[];
  readonly answers: number;
  readonly format: number;
}

test("the format term is that of the published code", async () => {
  const words: Readonly<Record<string, string>> = { known: "ask guide", unknown: "ask nobody", malformed: "ask: way" };
  const still = createCorridor({ rooms: 9, maxSteps: 5 });
  for (const { calls, answers, format } of published<FormCase>("maestro").cases) {
    const env = withExperts(still, { experts: [guide], role: "advises", mostCalls: 3 });
    const episode = await env.open(
      (still.tasks("train", { count: 1 }) as Iterable<Task>)[Symbol.iterator]().next().value as Task,
    );
    for (const call of calls) await episode.step(words[call] as string);
    // No answer: the steps run out.
    while (episode.ending === undefined) await episode.step(answers === 1 ? "stop" : "ask guide");
    expect([calls, answers, scoreValue(episode.reward)]).toEqual([calls, answers, format]);
  }
});

test("an expert that may act to the end does so in one step of the orchestrator", async () => {
  const episode = await withExperts(corridor, { ...priced, experts, turns: null }).open(task);
  const result = await episode.step("ask guide: where is it?");
  expect(result).toMatchObject({ success: true, reward: { value: 0.8 } });
  expect(result.info).toMatchObject({ orchestrate: { query: "where is it?", actions: ["go east", "go east"] } });
});

test("advice is read, not carried out; stop ends the episode unsolved", async () => {
  const episode = await withExperts(corridor, { ...priced, experts, role: "advises" }).open(task);
  expect((await episode.step("ask guide")).observation).toBe("Room 1.\n\nguide says: go east");
  const stopped = await episode.step("stop");
  expect(stopped).toMatchObject({ ending: "terminated", success: false });
  expect(episode.reward).toEqual({ kind: "scored", value: -0.2 });
});

test("calls have an end, and unknown experts are refused by name", async () => {
  const episode = await withExperts(corridor, { ...priced, experts, mostCalls: 1 }).open(task);
  const refused = await episode.step("ask nobody");
  expect(refused).toMatchObject({
    valid: false,
    observation: "Room 1.\n\nThere is no such expert. Known: guide, fool.",
  });
  await episode.step("ask fool");
  expect(await episode.step("ask fool")).toMatchObject({
    valid: false,
    observation: "A wall.\n\nAll 1 calls are used up.",
  });
  expect(episode.admissible()).toEqual(["stop", "go east"]);
});

test("an expert that fails loses the episode without a score", async () => {
  const broken: Expert = { ...guide, name: "broken", advise: () => Promise.reject(new Error("no server")) };
  const episode = await withExperts(corridor, { experts: [broken] }).open(task);
  const result = await episode.step("ask broken");
  expect(result).toMatchObject({ ending: "failed", reward: { kind: "unscored" } });
  expect(episode.failure?.message).toBe("no server");
});

test("the order of the list depends on the task alone", async () => {
  const env = withExperts(createCorridor(), { experts: [guide, fool, { ...guide, name: "third" }] });
  const tasks = [...(env.tasks("train") as Iterable<Task>)];
  const lists = await Promise.all(tasks.map(async (one) => (await env.open(one)).observation));
  const again = await Promise.all(tasks.map(async (one) => (await env.open(one)).observation));
  expect(again).toEqual(lists);
  expect(new Set(lists).size).toBeGreaterThan(1);
});

test("what cannot be a registry is refused", () => {
  expect(() => withExperts(corridor, { experts: [] })).toThrow(/no experts/);
  expect(() => withExperts(corridor, { experts: [guide, guide] })).toThrow(/Two experts are called "guide"/);
  expect(() => withExperts(corridor, { experts: [{ ...guide, name: "a: b" }] })).toThrow(/cannot be the name/);
  expect(() => withExperts(corridor, { experts: [{ ...guide, price: -1 }] })).toThrow(/price of "guide" is -1/);
  expect(() => withExperts(corridor, { experts, turns: 0 })).toThrow(/whole numbers/);
  expect(() => withExperts(corridor, { experts, formatPenalty: -1 })).toThrow(/formatPenalty is -1/);
  expect(() => withExperts(corridor, { experts, costWeight: Number.NaN })).toThrow(/costWeight is NaN/);
});

test("an expert without knowledge of the task says so, or falls back", async () => {
  const narrow = createDemonstratorExpert({
    name: "narrow",
    skill: "",
    description: "",
    price: 0,
    demonstrator: east,
    knows: () => false,
  });
  const episode = await withExperts(corridor, { experts: [narrow] }).open(task);
  expect((await episode.step("ask narrow")).observation).toBe("Room 1.\n\nnarrow says: I do not know.");
});

test("the loop plays it like any other world", async () => {
  const asker: Demonstrator = { id: "asker", summary: "Asks.", start: () => ({ next: () => "ask guide" }) };
  const { trajectories } = await rollOut({
    env: withExperts(corridor, { ...priced, experts }),
    agent: createDemonstratorAgent(asker),
    strategy: createStrategy("group", { size: 2 }),
    tasks: [task],
    seed: 1,
  });
  expect(trajectories.map(({ success, reward }) => [success, reward])).toEqual([
    [true, { kind: "scored", value: 0.6 }],
    [true, { kind: "scored", value: 0.6 }],
  ]);
});
