import { expect, test } from "vitest";
import { commands } from "./index.ts";
import { withModules } from "./given-parts.ts";
import { parseWords } from "./parse.ts";

const taking = Object.entries(commands).filter(
  ([name, { options }]) => name !== "worker" && Object.hasOwn(options, "env"),
);

test.each(taking)("limbeck %s --env python:MODULE is --env python with the module", (name, command) => {
  const { values } = withModules(parseWords([name, "--env", "python:pkg.world"], commands), command);
  expect(values.get("env")).toEqual(["python"]);
  const option = Object.hasOwn(command.options, "env-set") ? "env-set" : "set";
  expect(values.get(option)).toEqual(["module=pkg.world"]);
});

test("a worker takes its modules from jobs, and says so", () => {
  const typed = parseWords(["worker", "--env", "python:pkg.world"], commands);
  expect(() => withModules(typed, commands.worker)).toThrow(
    '"limbeck worker" takes --env python: which module it is comes with the work',
  );
});
