import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pages } from "../scripts/docs/pages.ts";

test.each(Object.entries(pages))("%s is what `npm run docs` writes", (path, generate) => {
  const stored = readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
  expect(stored === generate(), `${path} is out of date: run "npm run docs" and commit the result`).toBe(true);
});
