import { expect, test } from "vitest";
import { corridorEpisodes } from "../../../../test/support/recipe-bench.ts";
import { foretoldOf, newFindings, screenUpdate } from "./loop.ts";

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

test("a scorer is asked about whole episodes at their end, where rewards are not the world's own", async () => {
  const episodes = await corridorEpisodes("foretold");
  const asked: Int32Array[] = [];
  const outcomeScorer = {
    scoreTokens: (contexts: readonly Int32Array[]) => {
      asked.push(...contexts);
      return Promise.resolve(contexts.map(() => 0.25));
    },
    scoreSteps: () => Promise.resolve([]),
  };
  const own = { ...at("warn"), rewards: { screens: {} }, outcomeScorer };
  const found = await foretoldOf(own, episodes);
  expect(found).toEqual(new Map(episodes.map(({ id }) => [id, 0.25])));
  expect(asked.map(({ length }) => length)).toEqual(episodes.map(({ steps }) => steps.at(-1)?.span?.end));
  expect(await foretoldOf({ ...at("warn"), outcomeScorer }, episodes)).toBeUndefined();
  expect(await foretoldOf({ ...own, ...at("off") }, episodes)).toBeUndefined();
  const failing = { ...outcomeScorer, scoreTokens: () => Promise.reject(new Error("gone")) };
  expect(await foretoldOf({ ...own, outcomeScorer: failing }, episodes)).toEqual(new Map());
});
