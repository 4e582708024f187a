import { expect, test } from "vitest";
import { lock, scriptedAsker, searchTable, solvedBy, type SearchTable } from "../../../../test/support/table-search.ts";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { createTokenAgent } from "../walk/mind/token-agent.ts";
import { nodesBelow } from "../walk/tree/node.ts";
import { planByRule } from "./self-abstraction.ts";

const prompts = (root: Parameters<typeof nodesBelow>[0]): string[] =>
  nodesBelow(root).flatMap(({ step }) => (step?.prompt === undefined ? [] : [step.prompt]));

test("the second attempt begins at the opening, with the plan of the first", async () => {
  const asker = scriptedAsker([[/Draw a short plan/, (prompt) => `PLAN of ${/It (\w+)/.exec(prompt)?.[1]}`]]);
  const { root, chosen } = await searchTable("self-abstraction", lock(3, 0), { asker });
  expect(root.children).toHaveLength(2);
  expect(prompts(root)).toHaveLength(1);
  expect(prompts(root)[0]).toContain("PLAN of failed");
  expect(chosen?.info).toMatchObject({ planned: true, round: 1 });
});

test("a blind retry is given nothing", async () => {
  const { root } = await searchTable("self-abstraction", lock(3, 0.5), { settings: { plan: "none" } });
  expect(root.children.length).toBeGreaterThan(0);
  expect(prompts(root)).toEqual([]);
});

/** Forward leads on, back leads back, push is refused; the third room is the end. */
const rooms: SearchTable = {
  moves: { a: { forward: "b", stay: "a" }, b: { forward: "c", back: "a" } },
  ends: { c: 1 },
  maxSteps: 8,
  chances: {},
};

/** Says these one after the other, and what the plan says where there is one. */
function walker(first: readonly string[]) {
  const policy = createScriptedPolicy({
    script: ({ index, observation }) => {
      const way = /This worked: ([^.]+)\./.exec(observation)?.[1]?.split("; ");
      return (way ?? first)[index] ?? "stay";
    },
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 24 });
}

test("by rule a plan is the way without refusals and loops", async () => {
  const agent = walker(["push", "forward", "back", "stay", "forward", "forward"]);
  const { root, chosen } = await searchTable("self-abstraction", rooms, { agent, settings: { rounds: 1 } });
  const [first] = nodesBelow(root).filter(({ ending }) => ending !== undefined);
  expect(planByRule(first as never)).toBe("This worked: forward; forward.");
  // The second attempt takes two steps in the place of six.
  expect(chosen?.depth).toBe(2);
  expect(chosen?.success).toBe(true);
});

test("after an attempt that failed it says what was in vain", async () => {
  const agent = walker(["push", "stay", "forward", "back", "stay", "stay", "stay", "stay"]);
  const { root } = await searchTable("self-abstraction", rooms, { agent });
  const [first] = nodesBelow(root).filter(({ ending }) => ending !== undefined);
  expect(planByRule(first as never)).toBe("Refused: push. Useless: stay. Leads back: back.");
});

/** Right with chance one half at each wheel, unless a plan says what worked. */
function reader() {
  const policy = createScriptedPolicy({
    script: ({ index, observation }) => {
      const way = /This worked: ([^.]+)\./.exec(observation)?.[1]?.split("; ");
      if (way !== undefined) return way[index] ?? "wrong";
      return ["right", "wrong"].map((text) => ({ text, probability: 0.5 }));
    },
  });
  return createTokenAgent({ policy, dialect: plainDialect(policy.tokenizer), answerTokens: 24 });
}

test("with its own plan a second attempt of a policy that reads solves more than a blind one", async () => {
  const seeds = 40;
  const by = (plan: string): Promise<number> =>
    solvedBy("self-abstraction", lock(2, 0.5), { seeds, agent: reader(), settings: { plan } });
  // One half squared is 0.25; with the plan of a first success the second is sure: 0.25 + 0.75 * 0.25.
  const [planned, blind] = [await by("own"), await by("none")];
  expect(planned).toBeGreaterThan(blind);
});
