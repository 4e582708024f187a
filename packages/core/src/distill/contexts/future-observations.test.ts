import { expect, test } from "vitest";
import { episodeOf, tellEach } from "../../../../../test/support/context-bench.ts";

const episode = episodeOf(
  "a",
  [
    { action: "go east", seen: "a hall" },
    { action: "open door", seen: "a door" },
  ],
  { closing: { observation: "a\tgarden" } },
);

const told = async (options = {}): Promise<(string | undefined)[]> => {
  const [analysis] = await tellEach("future-observations", [episode], { options });
  return [0, 1].map((step) => analysis?.stepSkills.get(step)?.text);
};

test("each step is told what came after it", async () => {
  expect(await told()).toEqual(["Then: a door", "Then: a garden"]);
  expect(await told({ horizon: 2 })).toEqual(["Then: a door Then: a garden", "Then: a garden"]);
});

test("a step after which nothing was seen has none, and so an episode without any", async () => {
  const [blind] = await tellEach("future-observations", [episodeOf("b", [{ action: "wait" }])]);
  expect(blind).toBeUndefined();
});
