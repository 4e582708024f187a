import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { allExamples, doorFunctions, withMarks, wrongClaims } from "./support/doc-examples.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every function of every door has an example", () => {
  const shown = new Set(allExamples(root).map(({ name, place }) => `${place} ${name}`));
  const without = doorFunctions(root).filter(({ name, place }) => !shown.has(`${place} ${name}`));
  expect(without.map(({ door, name }) => `${name} of ${door}`)).toEqual([]);
});

test("an example of what a door has names doors only, so that a reader can type it", () => {
  const behindDoors = new Set(doorFunctions(root).map(({ name, place }) => `${place} ${name}`));
  const past = allExamples(root).filter(
    ({ name, place, program }) =>
      (place.endsWith(".md") || behindDoors.has(`${place} ${name}`)) &&
      /from "limbeck(?:-(?!recorder(?:\/cassette)?")|\/src\/)/.test(program),
  );
  expect(past.map(({ name, place }) => `${place}: ${name}`)).toEqual([]);
});

test("a line that does not print what it says is told, with what it prints", () => {
  const { program, claims } = withMarks(
    'console.log(1 + 1); // 2\nif (x) console.log(["a"]); // [ "b" ]\nconsole.log(9);',
  );
  expect(program.match(/number \d/g)).toEqual(["number 0", "number 1", "number 2"]);
  const printed = ["0\n2\n", "1\n[\n  'a'\n]\n", "2\n9\n"].map((text) => `printed by console.log number ${text}`);
  expect(wrongClaims(claims, printed.join(""))).toEqual(['if (x) console.log(["a"]); // [ "b" ] prints [ "a" ]']);
  expect(wrongClaims(claims, "")).toHaveLength(2);
});
