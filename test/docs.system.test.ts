import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { generated } from "../scripts/docs/pages.ts";

test("docs/lookup/generated/api.md is what `npm run docs` writes", () => {
  const stored = readFileSync(new URL("../docs/lookup/generated/api.md", import.meta.url), "utf8");
  const isCurrent = stored === generated["docs/lookup/generated/api.md"]();
  // One word instead of a difference of thousands of lines.
  expect(isCurrent ? "current" : 'out of date: run "npm run docs" and commit docs/lookup/generated/api.md').toBe(
    "current",
  );
});
