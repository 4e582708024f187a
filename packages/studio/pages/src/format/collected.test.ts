import { expect, test } from "vitest";
import { collectedIn } from "./collected.ts";

test("an episode is placed by its update, and by its phase where that is not training", () => {
  expect(collectedIn({ phase: "train", update: 3 })).toBe("update 3");
  expect(collectedIn({ phase: null, update: 3 })).toBe("update 3");
  expect(collectedIn({ phase: "after", update: 8 })).toBe("after, update 8");
  expect(collectedIn({ phase: "before", update: 0 })).toBe("before");
  expect(collectedIn({ phase: "train", update: null })).toBe("train");
  expect(collectedIn({ phase: null, update: null })).toBeUndefined();
});
