import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pages } from "../scripts/docs/pages.ts";

test("docs/api.md is what `npm run docs` writes", () => {
  const stored = readFileSync(new URL("../docs/api.md", import.meta.url), "utf8");
  const isCurrent = stored === pages["docs/api.md"]?.();
  // One word instead of a difference of thousands of lines.
  expect(isCurrent ? "current" : 'out of date: run "npm run docs" and commit docs/api.md').toBe("current");
});
