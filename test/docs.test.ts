import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { docFiles, docPages } from "../scripts/docs/page-list.ts";
import { generated, generatedByStudies, pages } from "../scripts/docs/pages.ts";
import { slug } from "../scripts/site/slug.ts";
import { packageVersion } from "../packages/base/src/base/package-info.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
const all = docPages(root);

/** It compiles all sources: `docs.system.test.ts`. */
const { "docs/lookup/generated/api.md": _, ...quick } = pages;
test("docs is a door, three shelves and pictures", () => {
  const first = new Set(docFiles(root).map((path) => path.split("/")[1]));
  expect(first).toEqual(new Set(["evidence", "images", "index.md", "learn", "lookup"]));
});

test("what is generated lies in the folders called so, and nothing else does", () => {
  const made = [...Object.keys(generated).filter((path) => path.startsWith("docs/")), ...generatedByStudies];
  expect(docFiles(root).filter((path) => path.includes("/generated/"))).toEqual(made.toSorted());
});

test.each(Object.entries(quick))("%s is what `npm run docs` writes", (path, generate) => {
  const stored = read(path);
  // One word instead of a difference of thousands of lines.
  expect(stored === generate() ? "current" : `out of date: run "npm run docs" and commit ${path}`).toBe("current");
});

/** Lines that install something of ours, with their pages; nothing is published, so a bare name would not be found. */
function installLines(): { readonly page: string; readonly line: string }[] {
  const written = ["README.md", "CONTRIBUTING.md", "packages/recorder/README.md", ...all];
  return written.flatMap((page) =>
    [...read(page).matchAll(/npm (?:install|i|add|run install-into)\b[^\n`|&#]*/g)]
      .map(([line]) => ({ page, line: line.trim() }))
      .filter(({ line }) => line.includes("limbeck") || line.includes("install-into")),
  );
}

test("every page installs from a clone or a tarball, with words that test/package.system.test.ts types", () => {
  const tarball = `limbeck(?:-recorder)?-${packageVersion().replaceAll(".", "\\.")}\\.tgz`;
  const works = [
    /^npm run install-into -- \.\.\/my-agent(?: limbeck| @duckdb\/node-api| onnxruntime-node| limbeck-recorder| limbeck-base-model| limbeck-world-models| limbeck-writer-model| ai@6| zod)*$/,
    new RegExp(`^npm install --ignore-scripts(?: \\S*${tarball})+$`),
  ];
  const lines = installLines();
  expect(lines.filter(({ line }) => !works.some((form) => form.test(line)))).toEqual([]);
  const told = new Set(lines.map(({ page }) => page));
  expect([...told].toSorted()).toEqual([
    "CONTRIBUTING.md",
    "README.md",
    "docs/learn/install.md",
    "docs/learn/new-world.md",
    "docs/learn/record.md",
    "docs/learn/ten-minutes.md",
  ]);
});

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "");

/** The names under which the headings of a page can be linked to, on GitHub and on the site. */
function anchorsOf(text: string): ReadonlySet<string> {
  const seen = new Map<string, number>();
  return new Set(
    [...withoutCode(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = ""]) => {
      const name = slug(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1"));
      const before = seen.get(name) ?? 0;
      seen.set(name, before + 1);
      return before === 0 ? name : `${name}-${before}`;
    }),
  );
}

test("every link between the pages leads somewhere", () => {
  const dead = ["README.md", "CONTRIBUTING.md", "research/README.md", ...all].flatMap((page) =>
    [...withoutCode(read(page)).matchAll(/\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g)]
      .filter(([, path = "", anchor]) => {
        const target = new URL(`../${page}`, import.meta.url);
        const file = path === "" ? target : new URL(path, target);
        if (!existsSync(file)) return true;
        return anchor !== undefined && !anchorsOf(readFileSync(file, "utf8")).has(anchor);
      })
      .map(([link]) => `${page}: ${link}`),
  );
  expect(dead).toEqual([]);
});

test("the index names every page, and the page of results every study", () => {
  const index = read("docs/index.md");
  const results = read("docs/evidence/results.md");
  const unnamed = all.filter((path) => {
    const study = path.startsWith("docs/evidence/results/");
    return study
      ? !results.includes(`](${path.slice("docs/evidence/".length)})`)
      : !index.includes(`](${path.slice("docs/".length)})`);
  });
  expect(unnamed).toEqual(["docs/index.md"]);
});

test("the page of results is one screen: a line for each study", () => {
  expect(read("docs/evidence/results.md").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
});
