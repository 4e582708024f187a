import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { createSearch, getSearch } from "./registry.ts";
import { selectionScore } from "./tree-walk.ts";
import { isStagnant } from "./mcgs.ts";
import { nodesBelow, type SearchNode } from "../walk/tree/node.ts";
import { runSearch } from "../walk/tree/run-search.ts";
import { createTinyAgent, createTinyWorld, inTurn, tinyTask } from "../../../../test/support/tiny-search-world.ts";

/** a and b lead to one state, from which b wins. */
const meeting = { a: 0.1, b: 1 };
const env = createTinyWorld(
  { a: meeting, b: meeting, c: { a: 0.3 } },
  { stateOf: (path) => (path === "a" || path === "b" ? "meeting" : path) },
);

test("with merge a state that several lines come to is evaluated once and counted together", async () => {
  const asked: string[] = [];
  const value = {
    estimate: async (nodes: readonly { readonly stateKey: string }[]) => {
      asked.push(...nodes.map(({ stateKey }) => stateKey));
      return nodes.map(() => 0.5);
    },
  };
  const agent = createTinyAgent(inTurn(["a", "b", "c"]));
  const search = createSearch("mcgs", { width: 3, iterations: 3, merge: true });
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  // Round 1: a, 0.5. Round 2: b is in the same state, so it takes that value. Round 3: c.
  expect(asked).toEqual(["meeting", "c"]);
  expect(root.children.map(({ visits }) => visits)).toEqual([1, 1, 1]);
  expect(root).toMatchObject({ visits: 3, total: 1.5 });
});

test("with reuse a way to a good end that one branch found is used by another, without the policy", async () => {
  // At the meeting the policy says "a" when it comes by a and would never find b there; walks from b do.
  const agent = createTinyAgent((observation, label) => {
    if (observation === "at ") return "ba"[Number(label)] ?? "b";
    return label.startsWith("walk") ? "b" : "a";
  });
  const search = createSearch("mcgs", { width: 1, iterations: 4, reuse: true, stop: false, patience: 1 });
  const { root, success } = await runSearch({ env, agent, task: tinyTask, seed: 1, search });
  expect(success).toBe(true);
  const reused = nodesBelow(root).filter(({ info }) => info?.["reused"] === true);
  expect(reused.map(({ stateKey }) => stateKey)).toEqual(["ab"]);
  expect(reused[0]?.step?.usage).toBeUndefined();
});

test("a value goes along the tree alone: equal states of two branches are counted apart", async () => {
  const value = {
    estimate: async (nodes: readonly { readonly action: string | undefined }[]) =>
      nodes.map(({ action }) => (action === "a" ? 0.8 : 0.2)),
  };
  const agent = createTinyAgent(inTurn(["a", "b", "c"]));
  const search = createSearch("mcgs", { width: 3, iterations: 3 });
  const { root } = await runSearch({ env, agent, task: tinyTask, seed: 1, search, value });
  expect(root.children.map(({ mean }) => mean)).toEqual([0.8, 0.2, 0.2]);
  expect(root.total).toBeCloseTo(1.2, 12);
});

test("a branch stagnates when its last values are all below its best", () => {
  expect(isStagnant([0.5], 3)).toBe(false);
  expect(isStagnant([0.5, 0.4], 3)).toBe(false);
  expect(isStagnant([0.5, 0.4, 0.1, 0.3], 3)).toBe(true);
  expect(isStagnant([0.5, 0.4, 0.5, 0.3], 3)).toBe(false);
  expect(isStagnant([0.5, 0.4, 0.3], 2)).toBe(true);
});

/** Three wheels deep, two ways each; what lies below the first step is worth less and less. */
const deep = createTinyWorld({
  a: { a: { a: { a: 0, b: 0 }, b: { a: 0, b: 0 } }, b: { a: { a: 0, b: 0 }, b: { a: 0, b: 0 } } },
  b: { a: { a: { a: 0, b: 0 }, b: { a: 0, b: 0 } }, b: { a: { a: 0, b: 0 }, b: { a: 0, b: 0 } } },
});
const falling = {
  estimate: async (nodes: readonly { readonly depth: number }[]) => nodes.map(({ depth }) => 1 / (1 + depth)),
};

async function shown(settings: Readonly<Record<string, unknown>>): Promise<string[]> {
  const told: string[] = [];
  const agent = createTinyAgent((observation, label, guidance) => {
    if (guidance !== undefined) told.push(`${observation}: ${guidance}`);
    return inTurn(["a", "b"])(observation, label, guidance);
  });
  const search = createSearch("mcgs", { width: 2, iterations: 24, ...settings });
  await runSearch({ env: deep, agent, task: tinyTask, seed: 1, search, value: falling });
  return told;
}

test("a stagnant branch is shown its own line, in the second half also another branch", async () => {
  const own = await shown({ fusion: 0, aggregate: 0 });
  expect(own.length).toBeGreaterThan(0);
  // Never at the opening or a first step, whose line is no history.
  for (const one of own) expect(one).toMatch(/^at [ab]{2,}: This way went so far: [ab] \(worth 0\.\d\d\); /);
  const both = await shown({ fusion: 1, aggregate: 0 });
  expect(both.some((one) => one.includes("This way went so far"))).toBe(true);
  const others = both.filter((one) => one.includes("Another attempt went"));
  expect(others.length).toBeGreaterThan(0);
  for (const one of others) {
    const [, at, other] = /^at ([ab]).*Another attempt went: ([ab])/.exec(one) ?? [];
    expect(other).not.toBe(at);
  }
});

test("when nothing new comes of the whole tree the opening is asked again, shown the branches together", async () => {
  const told = await shown({ fusion: 0, stagnation: 50, window: 4, aggregate: 1 });
  expect(told).toHaveLength(2);
  for (const one of told) expect(one).toMatch(/^at : Other attempts went:\n[ab].*\n[ab].*\nPut together/);
  expect(await shown({ fusion: 0, stagnation: 50, aggregate: 0 })).toEqual([]);
});

type Successor =
  | { readonly values: readonly number[]; readonly threshold: number; readonly stagnant: boolean }
  | { readonly parent: number; readonly visits: number; readonly total: number; readonly uct: number };

test("the successor's code calls the same branches stagnant and gives children the same value", () => {
  const { cases } = published<Successor>("mcgs");
  const rules = { select: "uct", exploration: getSearch("mcgs").options["exploration"]?.default as number } as const;
  const found = cases.map((one) => {
    if ("values" in one) return { ...one, stagnant: isStagnant(one.values, one.threshold) };
    const child = { mean: one.total / one.visits } as SearchNode;
    const uct = selectionScore(child, { ...rules, parentVisits: one.parent, visits: () => one.visits, prior: 0 });
    return { ...one, uct: Number(uct.toPrecision(7)) };
  });
  expect(found).toEqual(cases);
  expect(found.length).toBeGreaterThan(30);
});
