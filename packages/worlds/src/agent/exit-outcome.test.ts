import { expect, test } from "vitest";
import { exitOutcome, type ExitFacts } from "./program.ts";

const run = (facts: Partial<ExitFacts>): boolean | null =>
  exitOutcome({ exitCode: 0, command: "node", args: [], output: "", complaint: "", isWaiting: false, ...facts })
    .success;

test("an exit code is a failure, or a success that nothing speaks against", () => {
  expect([run({}), run({ exitCode: 1 }), run({ output: "thinking\n5\n" })]).toEqual([true, false, true]);
  for (const output of [
    "5 passed, 0 failed",
    "Done without errors.",
    "no failures\n\n",
    "An error was mended.\nAll is well.",
  ]) {
    expect([output, run({ output })]).toEqual([output, true]);
  }
});

test("who reports a failure and exits with 0 has not succeeded", () => {
  for (const output of [
    "Error: no tool was called",
    "I could not find the lamps.",
    "x\nFAILED\n",
    '{"success": false}',
  ]) {
    expect([output, run({ output })]).toEqual([output, null]);
    expect([output, run({ complaint: output })]).toEqual([output, null]);
  }
  expect(run({ isWaiting: true })).toBe(null);
});

test("the code of a shell is that of its last command, and not of an agent before it", () => {
  const shell = (script: string, command = "/bin/sh"): boolean | null => run({ command, args: ["-c", script] });
  for (const script of [
    "node agent.mjs | tee log",
    "node agent.mjs; echo done",
    "node agent.mjs || true",
    "node a.mjs &",
  ]) {
    expect([script, shell(script)]).toEqual([script, null]);
  }
  for (const script of ["node agent.mjs", "cd app && node agent.mjs", "set -o pipefail; node agent.mjs | tee log"]) {
    expect([script, shell(script, "bash")]).toEqual([script, true]);
  }
  expect(run({ args: ["-e", "a; b"] })).toBe(true);
});
