import { expect, test } from "vitest";
import { metricWords } from "./metric-words.ts";

test("known metrics have a plain title, unknown ones are spelled out", () => {
  expect(metricWords("gradientNorm").title).toBe("Size of the gradient");
  expect(metricWords("seconds/collect").title).toBe("Seconds: collect");
  expect(metricWords("replay/oldRows").title).toBe("Replay: old rows");
  expect(metricWords("loss/kl/kl").title).toBe("Loss: kl: kl");
  expect(metricWords("constructor").title).toBe("Constructor");
  for (const name of ["success", "credit/drift", "x"]) expect(metricWords(name).meaning).toMatch(/\.$/);
});
