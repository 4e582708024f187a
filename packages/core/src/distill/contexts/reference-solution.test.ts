import { expect, test } from "vitest";
import { episodeOf, tellEach } from "../../../../../test/support/context-bench.ts";

test("the whole plan, as far as it may be told", async () => {
  const solve = () => Promise.resolve({ plan: ["open box", "take key", "use key"], answer: "use key" });
  const episodes = [episodeOf("a", [{ action: "x" }])];
  const [whole] = await tellEach("reference-solution", episodes, { sources: { solve } });
  expect(whole?.episodeSkill?.text).toBe("This worked: open box; take key; use key.");
  const [cut] = await tellEach("reference-solution", episodes, { sources: { solve }, options: { steps: 2 } });
  expect(cut?.episodeSkill?.text).toBe("This worked: open box; take key.");
});
