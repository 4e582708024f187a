import { expect, test } from "vitest";
import { clusterAnswers, clusterReferences } from "./answer-clusters.ts";

/** A stand-in for a model of entailment: longer texts entail what they contain. */
const contains = (premise: string, claim: string): boolean => premise.toLowerCase().includes(claim.toLowerCase());

const answers = ["Paris", "paris", null, "in Paris", "Rome", "PARIS", "rome"];

test("an answer joins the first cluster with which it agrees both ways", () => {
  // "in Paris" contains Paris, but not the other way round.
  expect(clusterAnswers(answers, contains)).toEqual(["0", "0", null, "3", "4", "0", "4"]);
});

test("a few different members stand for a cluster", () => {
  const references = clusterReferences(answers, clusterAnswers(answers, contains), 2);
  expect([...references]).toEqual([
    ["0", ["Paris", "paris"]],
    ["3", ["in Paris"]],
    ["4", ["Rome", "rome"]],
  ]);
});
