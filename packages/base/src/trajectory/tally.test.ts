import { expect, test } from "vitest";
import { sampleTrajectory } from "../../../../test/support/samples.ts";
import { unscored } from "./score.ts";
import { episodesLost, isEnough, lostWords, successOf, tally } from "./tally.ts";
import type { Trajectory } from "./trajectory.ts";

const solved = sampleTrajectory("solved");
const failing = sampleTrajectory("failing", { success: false });
const lost = (code: string, message = "No place is left."): Trajectory =>
  sampleTrajectory(code, { ending: "failed", success: null, reward: unscored(message), failure: { code, message } });
const silent = sampleTrajectory("silent", { success: null, reward: unscored("The judge failed: no server") });
const pruned = sampleTrajectory("pruned", { ...silent, ending: "truncated", info: { stopped: "pruned" } });

test("lost episodes are counted apart, by cause, the most frequent first; those stopped on purpose nowhere", () => {
  const counts = tally([lost("gone", "Gone."), solved, lost("full"), failing, lost("full"), silent, pruned, solved]);
  expect(counts).toEqual({
    seen: 3,
    solved: 2,
    lost: 4,
    causes: { full: 2, gone: 1, unscored: 1 },
    first: "Gone.",
  });
  expect(Object.keys(counts.causes)[0]).toBe("full");
  expect(lostWords(counts)).toBe("4 lost: full 2, gone 1, unscored 1");
  // Three of seven are fewer than half.
  expect([isEnough(counts), successOf(counts)]).toEqual([false, { success: null, low: 0, high: 1 }]);
});

test("half is enough; nothing is not; the share is of those that were seen", () => {
  // 1 of 2 seen, 2 lost. Wilson of 1 of 2: 0.5 -+ z sqrt(1/8 + z^2/16) / (1 + z^2/2) = 0.0945, 0.9055.
  const half = tally([solved, failing, lost("a"), lost("b")]);
  expect(successOf(half)).toMatchObject({ success: 0.5 });
  expect(successOf(half).low).toBeCloseTo(0.0945, 4);
  expect(isEnough(tally([]))).toBe(false);
  expect(lostWords(tally([solved]))).toBe("");
});

test("an error names how many, why, and the first in words; many causes are cut", () => {
  const counts = tally(["a", "b", "c", "d", "e", "f"].map((code) => lost(code)));
  const error = episodesLost("Update 3 cannot learn", counts, "Mend it.");
  expect(error.code).toBe("episodes-lost");
  expect(error.message).toBe(
    "Update 3 cannot learn: of 6 episodes 0 were seen, 6 lost: a 1, b 1, c 1, d 1, 2 other causes. The first: No place is left. Mend it.",
  );
});
