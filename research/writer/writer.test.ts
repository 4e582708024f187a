/** The examples that the writer learns from are true, by the same check that its card is made with. */
import { expect, test } from "vitest";
import { createRng, rollout, type Trajectory } from "limbeck";
import { readBriefAnswer, readClaims, readWarning } from "../../packages/core/src/skill/writer/brief-answer.ts";
import type { Writing } from "../../packages/core/src/skill/skill.ts";
import { checkerOf, type Checker } from "./check.ts";
import type { Example } from "./example.ts";
import { examplesOf, study } from "./examples.ts";
import { recordLines } from "./questions.ts";
import { verdictOf } from "./verdicts.ts";
import { drawVoice, say, warn } from "./words.ts";
import { openWorlds, playEpisode, taskAt } from "./worlds.ts";

test("what is said can be read back, in every voice", () => {
  for (let seed = 0; seed < 20; seed += 1) {
    const voice = drawVoice(createRng(seed));
    const text = [say(voice, "refused", ["a 1"]), say(voice, "not", ["b."]), say(voice, "worked", ["c", "d 2"])].join(
      " ",
    );
    expect(readClaims(text).map(({ claim, commands }) => ({ claim, commands }))).toEqual([
      { claim: "refused", commands: ["a 1"] },
      { claim: "not", commands: ["b."] },
      { claim: "worked", commands: ["c", "d 2"] },
    ]);
  }
  expect(readWarning(warn("look", "useless"))).toEqual({ action: "look", reason: "useless" });
});

/** Whether the answer holds; undefined for kinds that the replay of one episode cannot check. */
async function holds(example: Example, checker: Checker): Promise<boolean | undefined> {
  const { kind, step = 0 } = example;
  // What the engine makes of it, if it does not refuse it.
  const answer = readBriefAnswer(example, example.answer);
  if (answer === undefined) return undefined;
  if (kind === "correction") return await checker.helps(step, answer);
  if (kind === "reflection") {
    const said = JSON.parse(answer) as { step: number; guidance: string };
    return await checker.step(said.step, said.guidance);
  }
  if (kind !== "skill") return undefined;
  const said = JSON.parse(answer) as { episode_skill: string; step_skills: Record<string, string> };
  const hints = Object.entries(said.step_skills).map(([at, text]) => checker.step(Number(at), text));
  return [await checker.episode(said.episode_skill), ...(await Promise.all(hints))].every(Boolean);
}

test("answers are true by replay, in a world with states and in one with sums", async () => {
  const kinds = new Set<string>();
  const untrue: Example[] = [];
  const verdicts: string[] = [];
  for (const world of await openWorlds(["household", "ledger"])) {
    for (let number = 0; number < 3; number += 1) {
      const task = await taskAt(world, "train", number);
      const group = await Promise.all([0, 1, 2, 3].map((at) => playEpisode(world, task, `test ${at}`)));
      const studied = await study(world, group);
      if (studied === undefined) continue;
      if (studied.way !== undefined) verdicts.push(await verdictOf(studied.ground, studied.way));
      for (const example of await examplesOf(studied, createRng(number))) {
        kinds.add(example.kind);
        const own = group.find(({ id }) => id === example.trajectory) as Trajectory;
        if ((await holds(example, await checkerOf(studied.ground, own))) === false) untrue.push(example);
      }
    }
  }
  expect(untrue).toEqual([]);
  expect(new Set(verdicts)).toEqual(new Set(["true"]));
  expect([...kinds].toSorted()).toEqual(["correction", "critique", "reason", "reflection", "skill", "verdict"]);
});

test("a reflection is asked for with the lines that the engine hands to a small writer", async () => {
  const asked: Writing<unknown>[] = [];
  const writer = {
    id: "ear",
    write: <Value>(writing: Writing<Value>) => {
      asked.push(writing as Writing<unknown>);
      return Promise.resolve({ value: undefined, by: "nobody" as const });
    },
  };
  const { trajectories } = await rollout({ env: "ledger", policy: "careless", strategy: "retry", tasks: 3, writer });
  const [first] = asked;
  const about = trajectories.map((one) => recordLines(one));
  expect(first?.kind).toBe("reflection");
  expect(about).toContainEqual(first?.brief);
});
