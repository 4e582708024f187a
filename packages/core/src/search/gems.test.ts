import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { searchTable } from "../../../../test/support/table-search.ts";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Env, Episode } from "../env/env.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { scored } from "limbeck-base/trajectory/score";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createSearch } from "./registry.ts";

const ITEMS = ["title", "place", "date", "price", "name"] as const;

/** A notice that must hold five things; the world checks each of them. */
function noticeWorld(
  partsOf = (text: string) => Object.fromEntries(ITEMS.map((item) => [item, Number(text.includes(`${item}!`))])),
): Env {
  const task = { id: "notice", env: "notice", seed: 1, goal: "write a notice", split: "train" };
  const opened = (text?: string, parts: Readonly<Record<string, number>> = {}): Episode => {
    let [said, found] = [text, parts];
    const reward = () => scored(said === undefined ? 0 : mean(Object.values(found)));
    const done = (): boolean => Object.values(found).every((value) => value === 1);
    return {
      task,
      observation: "Write the notice.",
      get stateKey() {
        return said ?? "";
      },
      get ending() {
        return said === undefined ? undefined : "terminated";
      },
      get reward() {
        return reward();
      },
      get success() {
        return said === undefined ? null : done();
      },
      admissible: () => undefined,
      step: (action) => {
        [said, found] = [action, partsOf(action)];
        return Promise.resolve({ observation: "Read.", reward: reward(), valid: true, ending: "terminated", success: done(), info: { parts: found } }); // prettier-ignore
      },
      fork: () => Promise.resolve(opened(said, found)),
      close: () => Promise.resolve(),
    };
  };
  return { id: "notice", summary: "A notice.", maxSteps: 1, splits: { train: 1 }, tasks: () => [task], open: () => Promise.resolve(opened()) }; // prettier-ignore
}

/** Writes two of the things that it is told to mend, those of a draft that it is shown, and forgets what nobody names. */
const writer = () => {
  const policy = createScriptedPolicy({
    script: ({ observation }) => {
      const shown = ITEMS.filter((item) => observation.includes(`${item}!`));
      const told = /Mend: ([^.]*)\./.exec(observation)?.[1]?.split(", ") ?? ["title"];
      const mended = ITEMS.filter((item) => told.includes(item) && !shown.includes(item)).slice(0, 2);
      return [...shown, ...mended].map((item) => `${item}!`).join(" ") || "nothing";
    },
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 64 });
};

async function searchNotice(env: Env, settings: Readonly<Record<string, unknown>>) {
  const [task] = [...(env.tasks("train", { count: 1 }) as never as Iterable<never>)];
  const search = createSearch("gems", settings);
  return await runSearch({ env, agent: writer(), task: task as never, search, seed: 1 });
}

interface Case {
  readonly rounds: number;
  /** Which items each draft passes. */
  readonly drafts: readonly (readonly number[])[];
  readonly chosen: number;
  readonly made: number;
}

test.each([...published<Case>("gems").cases.entries()])(
  "published code makes as many drafts and chooses the same: case %i",
  async (_, { rounds, drafts, chosen, made }) => {
    let written = 0;
    const env = noticeWorld(() => {
      written += 1;
      return Object.fromEntries((drafts[written - 1] ?? []).map((passed, item) => [`i${item}`, passed]));
    });
    const result = await searchNotice(env, { rounds });
    expect(written).toBe(made);
    expect(result.chosen?.info?.["checklist"]).toMatchObject({ round: chosen + 1 });
  },
);

const passedBy = async (memory: boolean): Promise<{ shares: number[]; success: boolean | null }> => {
  const { root, success } = await searchNotice(noticeWorld(), { rounds: 5, memory });
  const lists = nodesBelow(root).flatMap(({ info }) => (info?.["checklist"] as { passed: string[] } | undefined) ?? []);
  return { shares: lists.map(({ passed }) => passed.length / ITEMS.length), success };
};

test("the share of passed items grows over the rounds, and more with memory", async () => {
  const [withMemory, without] = [await passedBy(true), await passedBy(false)];
  // One of five at first; each draft that sees the best one adds two.
  expect(withMemory).toEqual({ shares: [0.2, 0.6, 1], success: true });
  // Who only hears of the last draft's faults mends two of these and loses the rest, for ever.
  expect(without.success).toBe(false);
  expect(without.shares).toHaveLength(5);
  expect(without.shares[1]).toBeGreaterThan(without.shares[0] as number);
  expect(Math.max(...without.shares)).toBeLessThan(1);
});

test("where the world judges nothing apart the only item is success", async () => {
  const table = {
    moves: { a: { go: "b", stay: "c" } },
    ends: { b: 1, c: 0 },
    maxSteps: 2,
    chances: { a: { stay: 1 } },
  };
  const { root } = await searchTable("gems", table, { settings: { rounds: 2 } });
  const lists = nodesBelow(root).flatMap(({ info }) => info?.["checklist"] ?? []);
  expect(lists[0]).toEqual({ round: 1, passed: [], failed: ["success"] });
});

test("where outcomes are not in view nothing that scores an episode is looked at", async () => {
  const table = { moves: { a: { go: "b", stay: "c" } }, ends: { b: 1, c: 0 }, maxSteps: 2, chances: { a: { go: 1 } } };
  const blind = await searchTable("gems", table, { seesOutcome: false, settings: { rounds: 3 } });
  const lists = nodesBelow(blind.root).flatMap(({ info }) => info?.["checklist"] ?? []);
  expect(lists).toEqual([1, 2, 3].map((round) => ({ round, passed: [], failed: ["success"] })));
  const value = { name: "sure", estimate: () => Promise.resolve([1]) };
  const valued = await searchTable("gems", table, { seesOutcome: false, value, settings: { rounds: 3 } });
  expect(valued.chosen?.info?.["checklist"]).toEqual({ round: 1, passed: ["success"], failed: [] });
});
