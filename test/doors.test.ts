/** The public doors: which there are, how many names the front one has, and that the pages use what is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { docPages } from "../scripts/docs/page-list.ts";
import { allExamples, doorsOf } from "./support/doc-examples.ts";
import { differingInCase, exportsOf } from "./support/house.ts";

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), "utf8");

const root = fileURLToPath(new URL("..", import.meta.url));
const doors = doorsOf(root);
const namesOf = (file: string): string[] => {
  const { values, types } = exportsOf(read(file));
  return [...values, ...types];
};

test("every door leads to a file, in the same place as its types", () => {
  const { exports: subpaths } = JSON.parse(read("package.json")) as {
    readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string } | string>>;
  };
  expect(doors.filter(({ file }) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
  const pairs = Object.values(subpaths).filter((to) => typeof to !== "string");
  expect(pairs.map((to) => to.default)).toEqual(pairs.map((to) => to.types.replace(/\.d\.ts$/, ".js")));
});

test("inside the repository every door leads to the sources, by the paths of tsconfig.json", () => {
  const { compilerOptions } = JSON.parse(read("tsconfig.json")) as {
    readonly compilerOptions: { readonly paths: Readonly<Record<string, readonly [string]>> };
  };
  const { "limbeck/*": [others = ""] = [], ...exact } = compilerOptions.paths;
  const led = doors.map(({ name }) => exact[name]?.[0] ?? others.replace("*", name.replace("limbeck/", "")));
  expect(led).toEqual(doors.map(({ file }) => `./${file}`));
});

test("there are few doors, with few names", () => {
  expect(doors.length).toBeLessThanOrEqual(15);
  expect(doors.flatMap(({ file }) => namesOf(file)).length).toBeLessThanOrEqual(400);
  expect(namesOf("src/doors/limbeck.ts").length).toBeLessThanOrEqual(60);
});

test("every file of the folder is a door", () => {
  const files = readdirSync(new URL("../src/doors", import.meta.url)).filter((name) => !name.endsWith(".test.ts"));
  expect(files.map((name) => `src/doors/${name}`).toSorted()).toEqual(doors.map(({ file }) => file).toSorted());
});

test("what one door has, no other door has", () => {
  const places = doors.flatMap(({ file }) =>
    [...read(file).matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm)].flatMap(([, list = "", from = ""]) =>
      list.split(",").map((name) => `${name.trim().replace(/^type /, "")} of ${from}`),
    ),
  );
  const twice = places.filter((place, at) => !place.startsWith(" ") && places.indexOf(place) !== at);
  expect(twice).toEqual([]);
});

test.each(doors)("no two names of $name differ only in case", ({ file }) => {
  expect(differingInCase(namesOf(file))).toEqual([]);
});

test("whatever a page or an example imports is there", () => {
  const known = new Map(doors.map(({ name, file }) => [name, new Set(namesOf(file))]));
  const pages = [
    "README.md",
    ...docPages(root),
    ...readdirSync(new URL("../examples", import.meta.url))
      .filter((name) => /\.(?:md|ts)$/.test(name))
      .map((name) => `examples/${name}`),
  ];
  const programs = [
    ...pages.map((page) => [page, read(page)] as const),
    ...allExamples(root).map(({ place, program }) => [place, program] as const),
  ];
  const strangers = programs.flatMap(([page, program]) =>
    [...program.matchAll(/import (?:type )?\{([^}]*)\} from "(limbeck(?:\/[^"]+)?)"/g)].flatMap(
      ([, list = "", door = ""]) =>
        list
          .split(",")
          .map((name) =>
            name
              .trim()
              .replace(/^type /, "")
              .replace(/ as .*/, ""),
          )
          .filter((name) => name !== "" && known.get(door)?.has(name) !== true)
          .map((name) => `${page}: ${name} of ${door}`),
    ),
  );
  expect(strangers).toEqual([]);
});
