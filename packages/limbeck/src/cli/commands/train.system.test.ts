import { expect, test } from "vitest";
import { TRAIN } from "../../../../../test/support/small-command-lines.ts";
import { workplace } from "../../../../../test/support/workplace.ts";

const { run } = workplace({ model: "start" });
const train = (words: readonly string[]) => run([...TRAIN, ...words]);

test("trains, prints what happened, and keeps run and model where other commands find them", async () => {
  const { code, objects, err } = await train(["--steps", "2", "--dir", "runs/one", "--json"]);
  expect([code, err]).toEqual([0, ""]);
  const events = objects();
  // Answers of three tokens are cut, and that is said at once.
  const validated = ["validation", "update", "probe", "validation", "update", "validation"];
  const kinds = ["start", "before", "notice", ...validated, "after", undefined];
  expect(events.map(({ event }) => event)).toEqual(kinds);
  expect(events[0]).toMatchObject({ recipe: "opid", env: "household", from: 0, updates: 2 });
  expect(events[2]?.["message"]).toContain("of the answers were cut at 3 tokens");
  expect(events[4]).toMatchObject({ update: 1, episodes: 4, spent: { environmentSteps: 8 } });
  const last = events.at(-1);
  // 16 of the episodes, and 4 of the probe between the updates.
  expect(last).toMatchObject({ environmentSteps: 20, reason: "finished", run: "runs/one" });
  expect(last?.["before"]).toMatchObject({ success: 0, low: 0, tasks: 2 });
  expect(last?.["after"]).toMatchObject({ tasks: 2 });
  const { out } = await run(["sql", "select count(*) as n from trajectories where run = 'one'", "--json"]);
  expect(JSON.parse(out)).toEqual({ n: 12 });
  const sampled = await run(["sample", "--model", "runs/one/model", "--prompt", "the", "--max-tokens", "2", "--json"]);
  expect(sampled.code).toBe(0);
});
