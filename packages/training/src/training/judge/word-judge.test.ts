import { expect, test } from "vitest";
import { createWordJudge } from "./word-judge.ts";

test("a pair of words that it has not learnt from counts nothing", () => {
  const judge = createWordJudge({ seed: 1 });
  judge.learn(
    [
      { text: "rain\numbrella", label: 1 },
      { text: "sun\numbrella", label: 0 },
    ],
    30,
  );
  expect(judge.chance("rain\numbrella")).toBeGreaterThan(0.8);
  expect(judge.chance("sun\numbrella")).toBeLessThan(0.2);
  // Neither word was ever seen: only the constant is left.
  expect(Math.abs(judge.chance("snow\nboots") - 0.5)).toBeLessThan(0.2);
});

test("pairs and choices are ordered as they were shown", () => {
  const judge = createWordJudge({ seed: 1 });
  judge.learnPairs([["good", "bad"]], 20);
  expect(judge.chance("good")).toBeGreaterThan(judge.chance("bad"));
  const chooser = createWordJudge({ seed: 1 });
  chooser.learnChoices([{ texts: ["a", "b", "c"], chosen: 2 }], 30);
  const chances = chooser.chances(["a", "b", "c"]);
  expect(chances.reduce((left, right) => left + right, 0)).toBeCloseTo(1, 9);
  expect(chances[2]).toBeGreaterThan(0.8);
});

test("the same seed gives the same judge", () => {
  const examples = Array.from({ length: 20 }, (_, at) => ({ text: `word${at % 3}\nother${at % 2}`, label: at % 2 }));
  const [one, other] = [createWordJudge({ seed: 4 }), createWordJudge({ seed: 4 })];
  for (const judge of [one, other]) judge.learn(examples, 3);
  expect(one.chance("word1\nother1")).toBe(other.chance("word1\nother1"));
});
