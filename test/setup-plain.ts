/** Plain tests share a process in which no model was ever run; one that runs a model is found out here. */
import { afterAll } from "vitest";

afterAll(() => {
  const [smallest = 0] = new Float64Array([Number.MIN_VALUE]);
  if (smallest * 2 === 0) {
    throw new Error(
      "This file runs a model, after which tiny numbers are zeros for all tests that follow in this process. Import what runs it by a path that test/support/sort-tests.ts can follow to packages/policy/src/graph/program.ts.",
    );
  }
});
