import { expect, test } from "vitest";
import { createCorridor } from "limbeck-core/env/corridor";
import type { Env, Episode } from "limbeck-core/env/env";
import { wrapEnv, wrapEpisode } from "limbeck-core/env/wrap";
import { createScriptedPolicy } from "limbeck-policy/policy/tabular/scripted-policy";
import { plainDialect } from "limbeck-policy/policy/tabular/script-tokenizer";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { evaluate } from "./evaluate.ts";

/** A corridor in which each step takes a second. */
function slow(): { readonly env: Env; readonly now: () => number } {
  let seconds = 0;
  const ticking = (inner: Episode): Episode =>
    wrapEpisode(inner, {
      step: (action, options) => {
        seconds += 1;
        return inner.step(action, options);
      },
      fork: async () => ticking(await inner.fork()),
    });
  return { env: wrapEnv(createCorridor({ rooms: 4 }), ticking), now: () => seconds * 1_000 };
}

const walker = createScriptedPolicy({ script: () => "go east" });
const policy = { policy: walker, dialect: plainDialect(walker.tokenizer) };

test("an evaluation whose time is up counts what was over, and calls nothing else a failure", async () => {
  const { env, now } = slow();
  const stored: Trajectory[] = [];
  const sink = { append: async (trajectory: Trajectory) => void stored.push(trajectory) };
  // Three steps an episode, one episode at a time: two are over after 6 seconds, the third is cut in its second step.
  const found = await evaluate({
    env,
    ...policy,
    tasks: 8,
    split: "train",
    concurrency: 1,
    budget: { seconds: 8 },
    now,
    sink,
  });
  expect(found).toMatchObject({ asked: 8, tasks: 2, solved: 2, failed: 0, success: 1 });
  expect(now()).toBe(8_000);
  expect(stored.filter(({ success }) => success === false)).toEqual([]);
  const whole = await evaluate({ env, ...policy, tasks: 8, split: "train", concurrency: 1, now });
  expect(whole).toMatchObject({ asked: 8, tasks: 8, success: 1 });
});

test("so does one that searches: a search that the clock cut short has no outcome", async () => {
  const { env, now } = slow();
  const search = { search: "best-of-n", searchOptions: { n: 1 } };
  const found = await evaluate({
    env,
    ...policy,
    tasks: 8,
    split: "train",
    concurrency: 1,
    search,
    budget: { seconds: 8 },
    now,
  });
  expect(found).toMatchObject({ asked: 8, tasks: 2, solved: 2, success: 1 });
  expect(found.searches).toHaveLength(2);
  expect(now()).toBe(8_000);
});
