import { expect, test } from "vitest";
import { asked } from "../../../../../test/support/asked-suite.ts";
import { docScope } from "./docscope.ts";

test("the right answer from the wrong place has a chain of 0; by the answer alone it has 1", async () => {
  const chain = await asked(docScope("chain"), "first-mention");
  expect(chain.report.graders["answer"]?.accuracy?.mean).toBe(1);
  for (const { parts, score } of chain.episodes) {
    const isRight = parts["line"]?.score.kind === "scored" && parts["line"].score.value === 1;
    expect(score).toEqual({ kind: "scored", value: Number(isRight) });
  }
  // In six documents of 24 the first line with the room is the right one; in three more it stands on the same page.
  expect(chain.report.accuracy?.mean).toBeCloseTo(6 / 24);
  expect(chain.report.graders["page"]?.accuracy?.mean).toBeCloseTo(9 / 24);
  expect((await asked(docScope("answer"), "first-mention")).report.accuracy?.mean).toBe(1);
  expect((await asked(docScope("chain"), "perfect")).report.accuracy?.mean).toBe(1);
  expect((await asked(docScope("chain"), "empty")).report.accuracy?.mean).toBe(0);
});
