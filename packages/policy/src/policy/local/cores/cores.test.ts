import { expect, test } from "vitest";
import { create, promisesOfCores } from "../../../../../../test/support/cores.ts";
import { tries } from "../../../../../../test/support/thorough.ts";

// One copy here; `cores.system.test.ts` has copies on threads.
promisesOfCores(1, tries(3, 6));

test("numbers that make no sense, a draft model and draft heads are refused by name", () => {
  expect(() => create({ cores: 0 })).toThrow(
    "Option cores of a local policy is 0; it takes a whole number at least 1, at most 256.",
  );
  expect(() => create({ cores: 2, draft: "model" })).toThrow("neither a draft model");
  expect(() => create({ cores: 2, draft: "heads" })).toThrow("nor draft heads");
});
