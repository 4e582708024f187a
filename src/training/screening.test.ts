import { expect, test } from "vitest";
import { corridorEpisodes } from "../../test/support/recipe-bench.ts";
import { newFindings, screenUpdate } from "./screening.ts";

const at = (screens: "off" | "warn" | "stop") => ({ settings: { screens } });

test("honest episodes pass; a judge that gives everyone the same is noticed, with the severity that is set", async () => {
  const episodes = await corridorEpisodes("screens");
  expect(screenUpdate(at("stop"), episodes, [])).toEqual([]);
  const constant = episodes.map((episode) => ({ ...episode, reward: { kind: "scored" as const, value: 1 } }));
  const [found] = screenUpdate(at("stop"), constant, []);
  expect(found).toMatchObject({ screen: "constant-scores", severity: "stop" });
  expect(screenUpdate(at("warn"), constant, [])[0]?.severity).toBe("warn");
  expect(screenUpdate(at("off"), constant, [])).toEqual([]);
  // What the plan of rewards says of one screen goes before what is said of all.
  const strict = { ...at("warn"), rewards: { screens: { "constant-scores": { severity: "stop" } } } };
  expect(screenUpdate(strict, constant, [])[0]?.severity).toBe("stop");
  const without = (...off: string[]) => ({
    ...at("warn"),
    rewards: { screens: Object.fromEntries(off.map((name) => [name, false as const])) },
  });
  // Failures are paid as successes are.
  const left = screenUpdate(without("constant-scores"), constant, []);
  expect(left.map(({ screen }) => screen)).toEqual(["unearned-reward"]);
  expect(screenUpdate(without("constant-scores", "unearned-reward"), constant, [])).toEqual([]);
});

test("a screen speaks once", () => {
  const finding = { screen: "constant-scores", severity: "warn", message: "", evidence: [] } as never;
  expect(newFindings([finding, finding], [])).toHaveLength(1);
  expect(newFindings([finding], ["constant-scores"])).toEqual([]);
});
