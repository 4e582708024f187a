import { expect, test } from "vitest";
import { limbeck } from "../../../../test/support/fake-io.ts";
import { EngineError } from "limbeck-base/base/errors";
import type { Command, Io } from "./command.ts";
import { commands } from "./index.ts";
import { packageVersion } from "limbeck-base/base/package-info";
import { runCommand } from "./run-command.ts";

test("help is a result when asked for; in a table without a start it is a complaint when not", async () => {
  const asked = await limbeck(["--help"]);
  expect([asked.code, asked.err]).toEqual([0, ""]);
  const { start: _, ...others } = commands;
  const silent = await limbeck([], { commands: others });
  expect([silent.code, silent.out]).toEqual([2, ""]);
  expect(silent.err).toContain("Usage  limbeck COMMAND [options]");
});

test("the main help names every command in one line each", async () => {
  const { out } = await limbeck(["--help"]);
  for (const name of Object.keys(commands)) expect(out).toMatch(new RegExp(`^  ${name} +[A-Z]`, "m"));
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(110);
});

test("every command has help with usage, examples and JSON fields", async () => {
  for (const [name, command] of Object.entries(commands)) {
    const { code, out } = await limbeck([name, "--help"]);
    expect(code).toBe(0);
    expect(out).toContain(`Usage  limbeck ${name}`);
    for (const title of ["Examples", "JSON fields (--json)", "Exit codes"]) expect(out).toContain(title);
    for (const example of command.examples) expect(out).toContain(example);
  }
});

test("the main help begins with six commands, which stand in their groups too", async () => {
  const { out } = await limbeck(["--help"]);
  const first = /\nFirst\n([\s\S]*?)\n\n/.exec(out)?.[1] ?? "";
  expect([...first.matchAll(/^ {2}(\S+)/gm)].map(([, name]) => name)).toEqual([
    "demo",
    "import",
    "skills",
    "init",
    "train",
    "studio",
  ]);
  for (const name of ["demo", "studio"]) expect(out.match(new RegExp(`^  ${name} `, "gm"))).toHaveLength(2);
});

test("help of many options has five usual ones and two examples first, then headings; each option stands once", async () => {
  for (const [name, command] of Object.entries<Command>(commands)) {
    if (Object.keys(command.options).length <= 35) continue;
    const { out } = await limbeck([name, "--help"]);
    const start = new RegExp(
      `^.*\n\nUsage.*\n\nUsual options\n((?:.*\n)+?)\nExamples\n {2}\\$ limbeck ${name} ?.*\n {2}\\$ limbeck ${name} .*\n\n`,
    );
    expect([name, start.exec(out)?.[1]?.match(/^ {2}--/gm)?.length]).toEqual([name, 5]);
    for (const option of Object.keys(command.options)) {
      expect([option, out.match(new RegExp(`^ {2}--${option}(?: |$)`, "gm"))?.length]).toEqual([option, 1]);
    }
    expect(
      Object.values(command.sections ?? {})
        .flat()
        .filter((option) => !Object.hasOwn(command.options, option)),
    ).toEqual([]);
  }
  expect((await limbeck(["train", "--help"])).out).not.toContain("More options");
});

test("the help of one command, whole", async () => {
  const { out } = await limbeck(["compact", "--help"]);
  expect(out).toBe(`limbeck compact  Merge small files of the store into larger ones

Usage  limbeck compact [--run ID] [--grace TIME]

Safe while others read and write: the merged files are committed first, the replaced ones are
deleted by the first compaction that finds them older than the grace time.

Options
  --run ID      Only this run. Default: every run
  --grace TIME  How long replaced files stay for running readers: 90s, 15m, 1h. Default: 1h

Examples
  $ limbeck compact
  $ limbeck compact --run import-1 --grace 10m

JSON fields (--json)
  run             id of the run
  segmentsBefore  files before
  segmentsAfter   files after
  bytesBefore     bytes before
  bytesAfter      bytes after
  filesDeleted    old files deleted

Exit codes  0 done, 1 failed, 2 wrong usage, 3 bad input, 4 a gate did not pass, 130 interrupted
Also: --help, --json, --no-color, --quiet, --store, --version; --yes installs what is missing
`);
});

test("the version, plain and as JSON", async () => {
  expect((await limbeck(["--version"])).out).toBe(`${packageVersion()}\n`);
  expect((await limbeck(["--version", "--json"])).objects()).toEqual([{ name: "limbeck", version: packageVersion() }]);
});

test("errors are one JSON line on standard error with --json", async () => {
  const { code, out, err } = await limbeck(["runs", "lst", "--json"]);
  expect([code, out]).toEqual([2, ""]);
  expect(JSON.parse(err)).toEqual({
    error: {
      code: "unknown-name",
      message:
        'No sub-command of "limbeck runs" "lst". Did you mean "list"? Known: copy, delete, keep, list, set-aside, show.',
      details: {
        kind: 'sub-command of "limbeck runs"',
        name: "lst",
        known: ["list", "show", "delete", "set-aside", "copy", "keep"],
        suggestion: "list",
      },
    },
  });
});

test("values outside a list and too many arguments are refused", async () => {
  const choice = await limbeck(["sql", "select 1", "--format", "tabel"]);
  expect([choice.code, choice.err]).toEqual([
    2,
    'error    No value of --format "tabel". Did you mean "table"? Known: csv, json, table.\n',
  ]);
  const many = await limbeck(["sql", "select", "1"]);
  expect(many.code).toBe(2);
  expect(many.err).toContain('"limbeck sql" takes at most 1; got 2. Put an argument with blanks in quotes.');
  expect((await limbeck(["show"])).err).toContain("Usage: limbeck show TRAJECTORY");
});

function failing(error: unknown): Command {
  return {
    group: "data",
    summary: "Fails",
    usage: "",
    options: {},
    examples: [],
    fields: {},
    run: () => Promise.reject(error),
  };
}

async function fail(error: unknown, env: Record<string, string> = {}) {
  let err = "";
  const io: Io = {
    out: () => undefined,
    err: (text) => {
      err += text;
    },
    env,
    cwd: ".",
    terminal: { out: false, err: false, in: false, columns: 80 },
    ask: () => Promise.resolve(undefined),
    readInput: () => Promise.resolve(""),
    now: () => 0,
    signal: new AbortController().signal,
  };
  return { code: await runCommand(["fail"], io, { fail: failing(error) }), err };
}

test("exit codes follow the kind of error", async () => {
  expect((await fail(new Error("oops"))).code).toBe(1);
  expect((await fail(new EngineError("bad-run-id", "x"))).code).toBe(2);
  expect((await fail(new EngineError("segment-damaged", "x"))).code).toBe(3);
  expect((await fail(new EngineError("cancelled", "x"))).code).toBe(130);
});

test("an error shows causes and a hint, and the stack only when asked for", async () => {
  const disk = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  const { err } = await fail(new EngineError("custom:segment-write", "Cannot write segment 7.", { cause: disk }));
  expect(err).toBe(
    "error    Cannot write segment 7.\n" +
      "         because: ENOSPC: no space left on device, write\n" +
      "hint     The disk is full. Free some space, or choose another folder with --store DIR; what was committed is intact.\n",
  );
  const oops = new Error("oops");
  expect((await fail(oops)).err).not.toContain(" at ");
  expect((await fail(oops, { LIMBECK_DEBUG: "1" })).err).toContain("run-command.test.ts");
});

test("an error message with escape sequences is shown, not obeyed", async () => {
  const { err } = await fail(new EngineError("bad-sql", "near \u001b[31m\u202e"));
  expect(err).toBe("error    near \\x1b[31m\\u202e\n");
});
