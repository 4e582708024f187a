import { expect, test } from "vitest";
import { corridorEpisodes } from "../../test/support/recipe-bench.ts";
import { newFindings, screenUpdate } from "./screening.ts";

test("honest episodes pass; a judge that gives everyone the same is noticed, with the severity that is set", async () => {
  const episodes = await corridorEpisodes("screens");
  expect(screenUpdate("stop", episodes, [])).toEqual([]);
  const constant = episodes.map((episode) => ({ ...episode, reward: { kind: "scored" as const, value: 1 } }));
  const [found] = screenUpdate("stop", constant, []);
  expect(found).toMatchObject({ screen: "constant-scores", severity: "stop" });
  expect(screenUpdate("warn", constant, [])[0]?.severity).toBe("warn");
  expect(screenUpdate("off", constant, [])).toEqual([]);
});

test("a screen speaks once", () => {
  const finding = { screen: "constant-scores", severity: "warn", message: "", evidence: [] } as never;
  expect(newFindings([finding, finding], [])).toHaveLength(1);
  expect(newFindings([finding], ["constant-scores"])).toEqual([]);
});
