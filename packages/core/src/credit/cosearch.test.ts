import { expect, test } from "vitest";
import { answers, assign, episodes, rowAdvantages, together } from "../../../../test/support/credit.ts";
import { publishedCredit } from "../../../../test/support/published-credit.ts";
import { cosearch } from "./cosearch.ts";

const asked = (state: string, reward: number, answerInDocuments = true) => ({
  state,
  reward,
  signals: { answerInDocuments },
});

publishedCredit("cosearch", cosearch);

test("a poor ranking is not paid for a right answer", () => {
  // The first's quality 1/3 lies below the gate, so 1/3 and 1 + 0 are compared: +- 0.707106.
  const batch = answers([1, 0], [asked("who wrote it", 1 / 3), asked("who wrote it", 1)]);
  expect(rowAdvantages(cosearch, batch)[0]).toBeCloseTo(-0.707106, 5);
  // Without a gate 1/3 + 1 and 1.
  expect(rowAdvantages(cosearch, batch, { gate: 0 })[0]).toBeCloseTo(0.707105, 5);
});

test("where no document holds the answer, only a malformed ranking gets no outcome", () => {
  // 1/3 + 1 against 1; -0.2 against 1.
  const found = rowAdvantages(
    cosearch,
    answers([1, 0], [asked("who wrote it", 1 / 3, false), asked("who wrote it", 1, false)]),
  );
  expect(found[0]).toBeCloseTo(0.707105, 5);
  const malformed = answers([1, 0], [asked("who wrote it", -0.2, false), asked("who wrote it", 1, false)]);
  expect(rowAdvantages(cosearch, malformed)[0]).toBeCloseTo(-0.707106, 5);
  expect(assign(cosearch, malformed).metrics["outcomesCounted"]).toBe(0);
});

test("rankings with the answer among the documents and without it are never compared; alone the score stays", () => {
  const batch = answers([1, 0], [asked("who wrote it", 1), asked("who wrote it", 0.5, false)]);
  const found = rowAdvantages(cosearch, batch);
  expect(found[0]).toBeCloseTo(2, 5);
  expect(found[1]).toBeCloseTo(0.5, 5);
  expect(rowAdvantages(cosearch, batch, { singleton: "zero" })).toEqual([0, 0]);
});

test("queries share most words, or are equal", () => {
  const batch = answers([1, 0], [asked("Who wrote the long novel?", 1), asked("the long novel: who wrote it?", 0.4)]);
  // 2 and 0.4.
  expect(rowAdvantages(cosearch, batch)[0]).toBeCloseTo(0.707106, 5);
  expect(rowAdvantages(cosearch, batch, { stateMatch: "exact" })[0]).toBeCloseTo(2, 5);
});

test("other tasks and other roles stand alone", () => {
  const one = (id: string, role: string) =>
    episodes({ [id]: { outcome: 0, steps: [{ state: "q", reward: 0.5, signals: { role } }] } }, id.charAt(0));
  const options = { singleton: "zero" };
  expect(rowAdvantages(cosearch, together(one("a1", "ranker"), one("a2", "searcher")), options)).toEqual([0, 0]);
  expect(assign(cosearch, together(one("a1", "ranker"), one("b1", "ranker"))).metrics["singletonGroups"]).toBe(2);
});

test("an outcome counts as 1 from the threshold on, and by its weight", () => {
  // 1 + 0.5 and 1 + 0.
  const batch = answers([0.8, 0.79], [asked("q", 1), asked("q", 1)]);
  expect(rowAdvantages(cosearch, batch, { outcomeWeight: 0.5 })[0]).toBeCloseTo(0.707105, 5);
  expect(rowAdvantages(cosearch, batch, { outcomeThreshold: 0.9 })).toEqual([0, 0]);
});
