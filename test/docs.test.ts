import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pages } from "../scripts/docs/pages.ts";
import { packageVersion } from "../src/cli/package-info.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test.each(Object.entries(pages))("%s is what `npm run docs` writes", (path, generate) => {
  const stored = read(path);
  // One word instead of a difference of thousands of lines.
  expect(stored === generate() ? "current" : `out of date: run "npm run docs" and commit ${path}`).toBe("current");
});

/** Lines that install something of ours, with their pages; nothing is published, so a bare name would not be found. */
function installLines(): { readonly page: string; readonly line: string }[] {
  const names = readdirSync(new URL("../docs", import.meta.url)).filter((name) => name.endsWith(".md"));
  const written = [
    "README.md",
    "CONTRIBUTING.md",
    "packages/recorder/README.md",
    ...names.map((name) => `docs/${name}`),
  ];
  return written.flatMap((page) =>
    [...read(page).matchAll(/npm (?:install|i|add|run install-into)\b[^\n`|&#]*/g)]
      .map(([line]) => ({ page, line: line.trim() }))
      .filter(({ line }) => line.includes("limbeck") || line.includes("install-into")),
  );
}

test("every page installs from a clone or a tarball, with words that test/package.test.ts types", () => {
  const tarball = `limbeck(?:-recorder)?-${packageVersion().replaceAll(".", "\\.")}\\.tgz`;
  const works = [
    /^npm run install-into -- \.\.\/my-agent(?: limbeck| limbeck-recorder| limbeck-base-model| ai@6| zod)*$/,
    new RegExp(`^npm install --ignore-scripts(?: \\S*${tarball})+$`),
  ];
  const lines = installLines();
  expect(lines.filter(({ line }) => !works.some((form) => form.test(line)))).toEqual([]);
  const told = new Set(lines.map(({ page }) => page));
  expect([...told].toSorted()).toEqual([
    "CONTRIBUTING.md",
    "README.md",
    "docs/install.md",
    "docs/new-world.md",
    "docs/record.md",
    "docs/ten-minutes.md",
  ]);
});
