import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pages } from "../scripts/docs/pages.ts";

test.each(Object.entries(pages))("%s is what `npm run docs` writes", (path, generate) => {
  const stored = readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  // One word instead of a difference of thousands of lines.
  expect(stored === generate() ? "current" : `out of date: run "npm run docs" and commit ${path}`).toBe("current");
});
