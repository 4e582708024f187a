import { expect, test } from "vitest";
import { tokensText } from "./tokens.ts";

test("tokens that were sampled stand apart from all", () => {
  expect(tokensText({ sampled: 60, tokens: 277 })).toBe("60 sampled · 277 in all");
  expect(tokensText({ sampled: 168, tokens: null })).toBe("168 sampled");
  expect(tokensText({ sampled: null, tokens: 1_277 })).toBe("1,277 in all");
  expect(tokensText({ sampled: null, tokens: null })).toBe("unknown");
});
