/** The site is made from the pages; `npm run docs:site` builds it and looks for dead links in what was built. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { Declaration, Door } from "../scripts/docs/declarations.ts";
import { docPages } from "../scripts/docs/page-list.ts";
import { apiReference } from "../scripts/site/api-reference.ts";
import { checkSite } from "../scripts/site/check-links.ts";
import { homePage } from "../scripts/site/home.ts";
import { navigationOf } from "../scripts/site/navigation.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const temporaryFolder = temporaryFolders();
const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

test("the sidebar has every page once, in the order of a new reader", () => {
  const shelves = navigationOf(read("docs/index.md"));
  expect(shelves.map(({ title, sections }) => [title, ...sections.map((section) => section.title)])).toEqual([
    ["Learn", "The demo", "Your own agent", "Your own world", "Training", "Your own GPU"],
    ["Look up", "Names and words", "Methods", "Training and measuring", "Worlds", "Models", "How it is built"],
    ["Evidence", ""],
  ]);
  const listed = shelves.flatMap(({ sections }) => sections.flatMap(({ items }) => items.map(({ page }) => page)));
  // The page of results leads to the studies.
  const pages = docPages(fileURLToPath(new URL("..", import.meta.url))).filter(
    (path) => path !== "docs/index.md" && !path.startsWith("docs/evidence/results/"),
  );
  expect(listed.map((page) => `docs/${page}`).toSorted()).toEqual(pages);
});

test("the front page is the README, with its table as four doors", () => {
  const [, matter = "", body = ""] = /^---\n(.*)\n---\n([\s\S]*)$/.exec(homePage(read("README.md"))) ?? [];
  const { hero, features } = JSON.parse(matter) as {
    hero: Record<string, unknown>;
    features: Record<string, string>[];
  };
  expect(hero).toMatchObject({ name: "Limbeck", image: { src: "/images/demo.svg" } });
  expect(features.map(({ title, link }) => [title, link])).toEqual([
    ["You have an agent", "/learn/ten-minutes"],
    ["You have a world", "/learn/new-world"],
    ["You have a model", "/lookup/model-files"],
    ["You have a GPU", "/learn/gpu"],
  ]);
  expect(body).toContain("## The idea");
  expect(body).not.toContain("| you have |");
  expect(() => homePage("# Other")).toThrow("its title and the sentence about what it is is not there");
});

test("a name stands with its comment and example on the page of its first door, and others lead there", () => {
  const declared = (name: string, more: Partial<Declaration>): Declaration => ({
    name,
    kind: "function",
    file: "src/a.ts",
    text: `function ${name}(): void;`,
    comment: "",
    ...more,
  });
  const act = declared("act", { comment: "Acts, as <b> says.\n\n@example\nact(); // nothing" });
  const thing = declared("Thing", { kind: "interface", text: "interface Thing {\n    readonly a: number;\n}" });
  const doors: Door[] = [
    { name: "limbeck", plate: "Everything.", names: new Map([["act", [act]]]) },
    {
      name: "limbeck/a/b",
      plate: "Room: one. Two.",
      names: new Map([
        ["act", [act]],
        ["Item", [thing]],
      ]),
    },
  ];
  const [index, front, room] = apiReference(doors).map(({ path, text }) => ({ path, text }));
  expect([index?.path, front?.path, room?.path]).toEqual(["api/index.md", "api/limbeck.md", "api/a-b.md"]);
  expect(index?.text).toContain("| [`limbeck/a/b`](a-b.md) | 2 | Room: one. |");
  expect(front?.text).toContain(String.raw`Acts, as \<b\> says.`);
  expect(front?.text).toContain("Example:\n\n```ts\nact(); // nothing\n```");
  expect(room?.text).toContain(
    "### Item\n\n```ts\n// Thing, here as Item\ninterface Thing {\n  readonly a: number;\n}\n```",
  );
  expect(room?.text).toContain("[`act`](limbeck.md#act)");
});

test("dead pages, dead places and what would be loaded from elsewhere are found", async () => {
  const folder = await temporaryFolder();
  mkdirSync(join(folder, "files"));
  writeFileSync(join(folder, "files", "a.parquet"), "");
  writeFileSync(
    join(folder, "index.html"),
    '<script src="https://elsewhere.example/x.js"></script><a href="/b.html#there">1</a><a class="x" href="./b#gone">2</a>' +
      '<a href="/c">3</a><a href="/files/a.parquet">4</a><a href="https://elsewhere.example">5</a><a href="#here">6</a>',
  );
  writeFileSync(join(folder, "b.html"), '<h2 id="there">There</h2><img src="/gone.svg">');
  expect(checkSite(folder)).toEqual({
    pages: 2,
    links: 6,
    dead: ["b.html: /gone.svg", "index.html: ./b#gone", "index.html: /c", "index.html: #here"],
    foreign: ["index.html: loads https://elsewhere.example/x.js"],
  });
});
