import { expect, test } from "vitest";
import { EngineError } from "limbeck-base/base/errors";
import { commands } from "./index.ts";
import { asksForJson, parseCount, parseDuration, parseWords } from "./parse.ts";

function fault(words: readonly string[]): EngineError {
  try {
    parseWords(words, commands);
  } catch (error) {
    if (error instanceof EngineError) return error;
  }
  throw new Error(`expected ${words.join(" ")} to be refused`);
}

test("global options stand before or after the command", () => {
  for (const words of [
    ["--store", "a", "runs", "--json"],
    ["runs", "--json", "--store=a"],
    ["--json", "runs", "--store", "a"],
  ]) {
    const parsed = parseWords(words, commands);
    expect([parsed.name, parsed.values.get("store"), parsed.values.get("json")]).toEqual(["runs", ["a"], ["true"]]);
  }
});

test("words after -- are arguments whatever they look like", () => {
  expect(parseWords(["show", "--", "--run"], commands).positionals).toEqual(["--run"]);
  expect(parseWords(["sql", "-"], commands).positionals).toEqual(["-"]);
  expect(asksForJson(["show", "--", "--json"])).toBe(false);
});

test("a flag may have a value of some forms; any other word behind it stands for itself", () => {
  const asked = (...words: string[]) => {
    const { values, positionals } = parseWords(words, commands);
    return [values.get("ask")?.at(-1), positionals];
  };
  expect(asked("train", "--ask")).toEqual(["true", []]);
  expect(asked("train", "--ask", "--json")).toEqual(["true", []]);
  expect(asked("train", "--ask", "policy", "--json")).toEqual(["policy", []]);
  expect(asked("train", "--ask=local:models/a b")).toEqual(["local:models/a b", []]);
  expect(asked("skills", "extract", "--ask", "local:m.gguf")).toEqual(["local:m.gguf", ["extract"]]);
  expect(asked("skills", "--ask", "extract")).toEqual(["true", ["extract"]]);
  expect(asked("skills", "extract", "--ask", "--", "policy")).toEqual(["true", ["extract", "policy"]]);
  expect(fault(["train", "--ask=gpt"]).message).toBe(
    '--ask takes chat|policy|bundled|local:DIR, or nothing; it was given "gpt".',
  );
});

test("wrong names are answered with the nearest one", () => {
  expect(fault(["imprt"]).message).toMatch(
    /^No command "imprt"\. Did you mean "import"\? Known: import, (?:[\w-]+, ){9}and \d+ more: limbeck --help\.$/,
  );
  expect(fault(["runs", "--yess"]).message).toMatch(/^No option "--yess" of "limbeck runs"\. Did you mean "--yes"\?/);
  expect(fault(["--run", "a", "sql"]).message).toMatch(/^No option "--run" before the command\./);
  expect(fault(["train", "--lr", "1"]).message).toMatch(
    /^No option "--lr" of "limbeck train"\. (?:Did you mean "--lora"\? )?Known: (?:--[\w-]+, ){10}and \d+ more: limbeck train --help\.$/,
  );
  expect(fault(["sft", "--lr", "1"]).message).toContain('Did you mean "--learning-rate"?');
  expect(fault(["rollout", "--tasks", "1"]).message).toContain('Did you mean "--count"?');
  expect(fault(["constructor"]).code).toBe("unknown-name");
  expect(fault(["runs", "--constructor"]).code).toBe("unknown-name");
});

test("a value is asked for where it is missing and refused where there is none to take", () => {
  expect(fault(["sql", "--run"]).message).toBe("--run needs a value: --run ID.");
  expect(fault(["sql", "--run", "--json"]).message).toBe(
    '--run needs a value, but "--json" looks like an option. If it is the value, write --run=--json.',
  );
  expect(fault(["runs", "--json=yes"]).message).toBe('--json takes no value; it was given "yes".');
});

test("a command to come takes any options: the answer is the release", () => {
  expect(parseWords(["train", "--recipe", "opid", "--json"], commands).name).toBe("train");
});

test("counts and durations", () => {
  expect([parseCount("12", "n"), parseCount("1_000", "n"), parseCount("0", "n", 0)]).toEqual([12, 1000, 0]);
  for (const text of ["", "0", "-1", "1.5", "x", "1e400"]) expect(() => parseCount(text, "n")).toThrow(/--n must be/);
  const given = ["90s", "15m", "1h", "2d", "1.5h", "250ms", "0"];
  expect(given.map((text) => parseDuration(text, "grace"))).toEqual([
    90_000, 900_000, 3_600_000, 172_800_000, 5_400_000, 250, 0,
  ]);
  for (const text of ["", "1", "h", "-1h", "1 week"]) expect(() => parseDuration(text, "grace")).toThrow(/such as 90s/);
});

test("help is also a word", () => {
  const parsed = parseWords(["help", "sql"], commands);
  expect([parsed.name, parsed.values.has("help")]).toEqual(["sql", true]);
  expect(parseWords(["help"], commands).name).toBeUndefined();
});
