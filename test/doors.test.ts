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

test("every door leads to a file", () => {
  expect(doors.filter(({ file }) => !existsSync(new URL(`../${file}`, import.meta.url)))).toEqual([]);
});

test("there are few doors, with few names", () => {
  expect(doors.length).toBeLessThanOrEqual(16);
  expect(doors.flatMap(({ file }) => namesOf(file)).length).toBeLessThanOrEqual(410);
  expect(namesOf("packages/limbeck/src/doors/limbeck.ts").length).toBeLessThanOrEqual(60);
});

test("every file of the folder is a door", () => {
  const files = readdirSync(new URL("../packages/limbeck/src/doors", import.meta.url)).filter(
    (name) => !name.endsWith(".test.ts"),
  );
  expect(files.map((name) => `packages/limbeck/src/doors/${name}`).toSorted()).toEqual(
    doors.map(({ file }) => file).toSorted(),
  );
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
    [...program.matchAll(/import (?:type )?\{([^}]*)\} from "(limbeck(?:\/(?!src\/)[^"]+)?)"/g)].flatMap(
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
