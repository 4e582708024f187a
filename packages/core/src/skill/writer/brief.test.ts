/** Questions in few words. */
import { expect, test } from "vitest";
import { scored } from "limbeck-base/trajectory/score";
import type { Step, Trajectory } from "limbeck-base/trajectory/trajectory";
import { briefEpisodes, briefQuestion } from "./brief.ts";

function episode(
  id: string,
  success: boolean,
  moves: readonly (readonly [state: string, action: string, valid?: boolean])[],
): Trajectory {
  const steps = moves.map(([stateKey, action, valid = true], index): Step => ({
    index,
    observation: `at ${stateKey} ${index}`,
    stateKey,
    action,
    valid,
    reward: scored(0),
  }));
  const task = { id: "t", env: "own", seed: 1, goal: "be at c", split: "train" };
  return {
    id,
    task,
    group: "t",
    steps,
    streams: [],
    ending: "terminated",
    reward: scored(success ? 1 : 0),
    success,
    rewards: [],
    policy: { name: "p" },
    closing: { observation: success ? "done" : "late" },
  };
}

test("an episode and the shortest success beside it, with the states numbered and what was wasted marked", () => {
  const lost = episode("lost", false, [
    ["a", "east"],
    ["b", "west"],
    ["a", "jump", false],
    ["a", "east"],
  ]);
  const long = episode("long", true, [
    ["a", "west"],
    ["d", "east"],
    ["a", "east"],
    ["b", "east"],
  ]);
  const short = episode("short", true, [
    ["a", "east"],
    ["b", "east"],
  ]);
  expect(briefEpisodes(lost, [lost, long, short], { maxStepSkills: 2 }).join("\n")).toBe(
    [
      "hints: 2\ntask: be at c\nsaw: at a 0\nlost:",
      "a0 s0>s1: east\nsaw: at b 1\na1 s1>s0: west\nsaw: at a 2\na2 s0>s0 (refused): jump\nsaw: at a 3\na3 s0: east\nsaw: late",
      "another won:\nb0 s0>s1: east\nb1 s1: east",
    ].join("\n"),
  );
  // The best has nobody to learn from.
  expect(briefEpisodes(short, [lost, long, short], { maxStepSkills: 0 })).not.toContain("another won:");
});

test("the longest lines are cut in the middle, all to one length, until everything fits", () => {
  const question = briefQuestion({ kind: "reason", material: ["short", "a".repeat(4_000), `${"b".repeat(2_500)}end`] });
  const [kind, short, first = "", second = ""] = question.split("\n");
  expect([kind, short]).toEqual(["reason", "short"]);
  // 2,800 less 6 for the word, 3 for the ends of lines and 5 for the short line: 2,786 for two lines of 1,393.
  expect([first.length, second.length, question.length]).toEqual([1_393, 1_393, 2_800]);
  expect(second).toMatch(/^b+…b+end$/);
});

test("what has too many lines loses those of the middle; a brief stands in the place of the material", () => {
  const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at}`);
  const question = briefQuestion({ kind: "skill", material: ["nothing of this"], brief: lines });
  expect(question.length).toBeLessThanOrEqual(2_800);
  expect(question).toMatch(/^skill\nline 0\n[\s\S]*…\n[\s\S]*line 999$/);
  expect(question).not.toContain("nothing");
});
