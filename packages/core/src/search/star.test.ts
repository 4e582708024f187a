import { expect, test } from "vitest";
import { published } from "../../../../test/support/published.ts";
import { searchTable, type SearchTable } from "../../../../test/support/table-search.ts";
import { sureness, surest, type Sample } from "./star.ts";

const weights = { byCount: 0.25, byMean: 0.2, byLargest: 0.55 };
const samplesOf = (answer: string, ...confidences: readonly (number | undefined)[]): Sample[] =>
  confidences.map((confidence) => ({ answer, confidence }));
const scoresOf = (samples: readonly Sample[], options: Partial<typeof weights> = {}): number[] =>
  sureness(samples, { ...weights, ...options }).map(({ score }) => score);

interface Case {
  /** Null: it could not be read. */
  readonly answers: readonly (string | null)[];
  readonly logprobs: readonly number[];
  readonly entropies: readonly number[];
  /** The place of what is chosen, by the first weights and with the count alone; null: nothing. */
  readonly chosen: number | null;
}

test.each([...published<Case>("star").cases.entries()])(
  "published code chooses the same: case %i",
  (_, { answers, logprobs, entropies, chosen }) => {
    const read = [...answers.keys()].filter((at) => answers[at] !== null);
    const samples = read.map((at): Sample => {
      const confidence = Math.exp(logprobs[at] ?? 0) * (1 - (entropies[at] ?? 0));
      return { answer: answers[at] ?? "", confidence };
    });
    const found = surest(sureness(samples, weights));
    expect(found === undefined ? null : read[found]).toBe(chosen);
  },
);

test("six samples of A with 0.5 and two of B with 0.75: B, since the surest counts most", () => {
  const samples = [...samplesOf("A", 0.5, 0.5, 0.5, 0.5, 0.5, 0.5), ...samplesOf("B", 0.75, 0.75)];
  // A 0.25 + 0.2 * 2/3 + 0.55 * 2/3 = 0.75; B 0.25 / 3 + 0.2 + 0.55 = 0.833333.
  expect(scoresOf(samples)[0]).toBeCloseTo(0.75, 12);
  expect(scoresOf(samples)[7]).toBeCloseTo(0.25 / 3 + 0.75, 12);
  expect(surest(sureness(samples, weights))).toBe(6);
  expect(surest(sureness(samples, { ...weights, byCount: 1 }))).toBe(0);
});

test("out of the best answer's samples the surest, of equals the first", () => {
  const samples = [...samplesOf("A", 0.5, 0.9, 0.9), ...samplesOf("B", 0.2)];
  expect(surest(sureness(samples, weights))).toBe(1);
  expect(surest(sureness(samplesOf("A", 0.5, 0.5), weights))).toBe(0);
  expect(surest([])).toBeUndefined();
});

test("without confidences the number of samples decides", () => {
  const samples = [...samplesOf("A", undefined), ...samplesOf("B", undefined, undefined)];
  expect(scoresOf(samples)).toEqual([0.125, 0.25, 0.25]);
  expect(surest(sureness(samples, weights))).toBe(1);
});

const quiz: SearchTable = {
  moves: { quiz: { seven: "a", eight: "b", nine: "c" } },
  ends: { a: 1, b: 0, c: 0 },
  maxSteps: 2,
  chances: { quiz: { seven: 0.6, eight: 0.3, nine: 0.1 } },
};

test("picks what is both sure and agreed on, without looking at outcomes", async () => {
  const result = await searchTable("star", quiz, { seesOutcome: false, settings: { samples: 9 } });
  expect(result.actions).toEqual(["seven"]);
  const counts = new Map<string, number>();
  for (const { action = "" } of result.root.children) counts.set(action, (counts.get(action) ?? 0) + 1);
  const facts = result.chosen?.info?.["sureness"] as { count: number; confidence: number; score: number };
  expect(facts.count).toBe(counts.get("seven"));
  // "seven" and its end are six tokens; the chance of the whole is 0.6, so that the mean is a sixth of its logarithm.
  expect(facts.confidence).toBeCloseTo(0.6 ** (1 / 6), 5);
  // Most samples and the surest of all: every part is 1.
  expect(facts.score).toBeCloseTo(1, 12);
});

test("the weights decide between the sure and the many", async () => {
  const torn = { ...quiz, chances: { quiz: { seven: 0.5, eight: 0.26, nine: 0.24 } } };
  const many = await searchTable("star", torn, { settings: { samples: 12, byMean: 0, byLargest: 0 } });
  expect(many.actions).toEqual(["seven"]);
});

test("an episode that did not end has no answer; where none has one, the first is taken", async () => {
  const long = { ...quiz, moves: { quiz: { seven: "on" }, on: { seven: "a" } }, chances: { quiz: { seven: 1 } } };
  const { chosen } = await searchTable("star", long, { settings: { samples: 3 }, budget: { envSteps: 1 } });
  expect(chosen?.ending).toBeUndefined();
  expect(chosen?.stateKey).toBe("on");
  expect(chosen?.info).toBeUndefined();
});
