import { expect, test } from "vitest";
import { commandWords } from "./command-words.ts";

test("blanks part words, quotes hold them together, nothing else means anything", () => {
  expect(commandWords("node agent.mjs {prompt}", "agent")).toEqual(["node", "agent.mjs", "{prompt}"]);
  expect(commandWords(`  sh -c "echo 'a b' $HOME"  ''  x"y z"`, "agent")).toEqual([
    "sh",
    "-c",
    "echo 'a b' $HOME",
    "",
    "xy z",
  ]);
});

test("a text that is no command is named", () => {
  expect(() => commandWords("node 'agent", "check")).toThrow("--check has a ' that is never closed");
  expect(() => commandWords("  ", "check")).toThrow("--check names no program");
});
