import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import type { Command } from "./command.ts";
import { commands } from "./index.ts";

/** What help calls values that are numbers, and a word that is almost one. */
const WRONG: Readonly<Record<string, readonly [given: string, says: string]>> = {
  ...Object.fromEntries(["N", "K", "RANK", "ROWS", "STEPS", "TASKS", "TOKENS"].map((name) => [name, ["1O", "whole"]])),
  ...Object.fromEntries(["T", "X", "P", "SHARE", "NUMBER", "W", "KL", "S"].map((name) => [name, ["0,5x", "number"]])),
  TIME: ["3 weeks", "time such as 90s"],
};

/** The answer of a command that would load the engine if it were run. */
async function answered(name: string, words: readonly string[]): Promise<string> {
  const command: Command = {
    ...commands[name as keyof typeof commands],
    natives: () => [],
    run: () => Promise.reject(new Error("it was run")),
  };
  return (await limbeck([name, ...words], { commands: { [name]: command } })).err;
}

test("a word that is no number is refused before any command runs", async () => {
  let tried = 0;
  for (const [name, command] of Object.entries<Command>(commands)) {
    const needed = Array.from(
      { length: command.arity?.[0] ?? 0 },
      () => Object.keys(command.subcommands ?? { x: "" })[0] ?? "",
    );
    for (const [option, { value = "", choices, type }] of Object.entries(command.options)) {
      const [given, says] = WRONG[value] ?? [];
      if (type === "boolean" || choices !== undefined || given === undefined) continue;
      tried += 1;
      const err = await answered(name, [...needed, `--${option}`, given]);
      expect(err.replaceAll(/\s+/g, " "), `${name} --${option}`).toMatch(
        new RegExp(`--${option} must be a .*${says}.*; got "${given}"`),
      );
    }
  }
  expect(tried).toBeGreaterThan(200);
});

test("numbers go through, with separators, signs and exponents; their bounds are the command's", async () => {
  for (const words of [
    ["--steps", "1_000"],
    ["--steps=-1"],
    ["--seed", "0"],
    ["--stop-at", "5e-1"],
    ["--truncate=-.5"],
  ]) {
    expect(await answered("train", words)).toContain("it was run");
  }
  expect(await answered("train", ["--steps", ""])).toContain('--steps must be a whole number; got "".');
  expect(await answered("arena", ["--seeds", "11-20"])).toContain("it was run");
  expect(await answered("traces", ["--since", "2026-11-15"])).toContain("it was run");
});
