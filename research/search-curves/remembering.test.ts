import { expect, test } from "vitest";
import { tinyConfig } from "../../test/support/tiny-model.ts";
import type { Conversation } from "limbeck/policy";
import type { Policy } from "limbeck";
import { createModel } from "limbeck/local";
import { remembering } from "./remembering.ts";

const PROMPT = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const sampling = { maxTokens: 4, temperature: 0.7 };

/** Two turns, then two forks of one point: everything that they said. */
async function talked(policy: Policy, seed: string): Promise<number[][]> {
  const first = policy.open({ seed });
  first.extend(PROMPT);
  await first.sample(sampling);
  first.extend([3, 1]);
  await first.sample(sampling);
  const forks = ["left", "right"].map((label) => first.fork(label));
  await Promise.all(forks.map((fork) => fork.sample(sampling)));
  return [first, ...forks].map((one: Conversation) => [...one.tokens]);
}

test("says what the model says, and asks it once", async () => {
  const model = await createModel(tinyConfig, { seed: "remembering", threads: 1 });
  const alone = [await talked(model, "one"), await talked(model, "two")];
  const policy = remembering(model);
  const talks = await Promise.all(["one", "two", "one", "two"].map((seed) => talked(policy, seed)));
  expect(talks).toEqual([...alone, ...alone]);
  expect(await talked(policy, "one")).toEqual(alone[0]);
  // Four answers a talk; five talks, of which two are different.
  expect(policy.counts).toEqual({ asked: 20, answered: 8 });
  await policy.close();
});

test("what cannot be said is refused for everyone who asks", async () => {
  const policy = remembering(await createModel(tinyConfig, { seed: "full", threads: 1 }));
  const full = Array.from({ length: tinyConfig.contextLength }, () => 1);
  const talks = [policy.open({ seed: 1 }), policy.open({ seed: 1 })];
  for (const talk of talks) talk.extend(full);
  const said = await Promise.allSettled(talks.map((talk) => talk.sample(sampling)));
  expect(said.map((one) => one.status === "rejected" && one.reason.code)).toEqual(["past-context", "past-context"]);
  await policy.close();
});
