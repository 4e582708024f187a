import { expect, test } from "vitest";
import { episodeOf, tellEach } from "../../../../../test/support/context-bench.ts";

const texts = async (...given: Parameters<typeof tellEach>): Promise<(string | undefined)[]> =>
  (await tellEach(...given)).map((one) => one?.episodeSkill?.text);

const failed = episodeOf("failed", [{ action: "eat lamp", valid: false }, { action: "go east" }], {
  closing: { observation: "The lamp\nis gone. You lose." },
});
const long = episodeOf("long", [{ action: "wait" }, { action: "go west" }], { success: true });
const short = episodeOf("short", [{ action: "go west" }], { success: true });

test("refusals, the verdict and a sibling's way; never its own success", async () => {
  expect(await texts("feedback", [failed, long, short])).toEqual([
    "Refused: eat lamp. In the end: The lamp is gone. You lose. This worked: go west.",
    "This worked: go west.",
    "This worked: wait; go west.",
  ]);
});

test("a success alone in its group has none, and neither has a failure without a word or a sibling", async () => {
  expect(await texts("feedback", [short])).toEqual([undefined]);
  expect(await texts("feedback", [episodeOf("quiet", [{ action: "wait" }], { ending: "truncated" })])).toEqual([
    undefined,
  ]);
});

test("both parts can be switched off", async () => {
  expect(await texts("feedback", [failed, short], { options: { siblings: false } })).toEqual([
    "Refused: eat lamp. In the end: The lamp is gone. You lose.",
    undefined,
  ]);
  expect((await texts("feedback", [failed, short], { options: { refusals: false } }))[0]).toBe("This worked: go west.");
});

test("a branch that succeeded is shown with the steps before it", async () => {
  const branch = episodeOf("branch", [{ action: "go north" }], {
    success: true,
    parent: { trajectory: "failed", step: 1 },
  });
  expect((await texts("feedback", [failed, branch], { options: { refusals: false } }))[0]).toBe(
    "This worked: eat lamp; go north.",
  );
});
