import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-import-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(words, { cwd: folder, env: { LIMBECK_STORE: join(folder, "store") }, ...options });

function chat(question: string): string {
  return JSON.stringify({
    messages: [
      { role: "user", content: question },
      { role: "assistant", content: "yes" },
    ],
  });
}

async function file(name: string, lines: readonly (string | Buffer)[]): Promise<string> {
  await writeFile(
    join(folder, name),
    Buffer.concat(lines.map((line) => Buffer.concat([Buffer.from(line), Buffer.from("\n")]))),
  );
  return name;
}

async function counted(id: string): Promise<unknown> {
  const { objects } = await run(["sql", "select count(*) n from trajectories", "--run", id, "--json"]);
  return objects()[0]?.["n"];
}

test("brings in a file and says what it held", async () => {
  const name = await file("chats.jsonl", [chat("one"), chat("two")]);
  const { code, out, err } = await run(["import", name, "--run", "first"]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toBe("✓ Imported 2 trajectories, 2 steps in run first (0 ms)\n  limbeck traces --run first\n");
  expect(await counted("first")).toBe(2);
});

test("a fault stops it, names file and line, and keeps what came before", async () => {
  const name = await file("chats.jsonl", [chat("one"), '{"messages": [', chat("three")]);
  const { code, out, err } = await run(["import", name, "--run", "first"]);
  expect(code).toBe(3);
  expect(err).toMatch(/chats\.jsonl"?, line 2/);
  expect(out).toContain("! Kept what came before: 1 trajectory, 1 step in run first (0 ms)\n");
  expect(out).toContain("limbeck runs delete first");
  expect(await counted("first")).toBe(1);
});

test("lenient leaves out what is faulty and reports each with its place", async () => {
  const name = await file("chats.jsonl", [chat("one"), "nonsense", Buffer.from([0x22, 0xff, 0x22]), chat("four")]);
  const { code, objects } = await run(["import", name, "--run", "first", "--lenient", "--json"]);
  expect(code).toBe(0);
  expect(objects().map((event) => [event["event"], event["line"], event["trajectories"], event["skipped"]])).toEqual([
    ["skip", 2, undefined, undefined],
    ["skip", 3, undefined, undefined],
    ["end", undefined, 2, 2],
  ]);
  const { out } = await run(["import", name, "--lenient", "--again"]);
  expect(out).toContain("! Skipped 2 records:\n");
  expect(out).toMatch(/chats\.jsonl"?, line 2: .*\[bad-json\]/);
});

test("nothing usable leaves no run behind", async () => {
  const name = await file("chats.jsonl", ["nonsense"]);
  expect((await run(["import", name, "--format", "openai-chat"])).code).toBe(3);
  const lenient = await run(["import", name, "--format", "openai-chat", "--lenient"]);
  expect([lenient.code, lenient.out.split("\n")[0]]).toEqual([3, "! Nothing was imported."]);
  expect((await run(["runs", "--json"])).out).toBe("");
});

test("a line longer than allowed is a fault that names the limit", async () => {
  const name = await file("chats.jsonl", [chat("one"), chat("x".repeat(5000))]);
  const { code, err } = await run(["import", name, "--max-line-bytes", "1000"]);
  expect(code).toBe(3);
  expect(err).toMatch(/line 2: .*1000/);
  expect((await run(["import", name, "--max-line-bytes", "many"])).code).toBe(2);
});

test("wrong names are found before anything is read", async () => {
  const name = await file("chats.jsonl", [chat("one")]);
  expect((await run(["import", name, "--format", "openai"])).err).toContain('Did you mean "openai-chat"?');
  const missing = await run(["import", name, "nowhere.jsonl"]);
  expect([missing.code, missing.err.split("\n")[0]]).toEqual([3, 'error    Cannot read "nowhere.jsonl".']);
  for (const id of ["../out", "a/b", ".hidden", ""]) {
    expect((await run(["import", name, `--run=${id}`])).code).toBe(2);
  }
  expect((await run(["runs", "--json"])).out).toBe("");
});

test("a run of that name is not written over", async () => {
  const name = await file("chats.jsonl", [chat("one")]);
  await run(["import", name, "--run", "first"]);
  const { code, err } = await run(["import", name, "--run", "first"]);
  expect([code, err.includes('already a run "first"')]).toEqual([2, true]);
  expect(await counted("first")).toBe(1);
});

test("a store that may not be written is said so", async () => {
  const name = await file("chats.jsonl", [chat("one")]);
  await writeFile(join(folder, "store"), "a file where the folder should be");
  const { code, err } = await run(["import", name]);
  expect(code).toBe(1);
  expect(err).toContain(join(folder, "store"));
});

test("what could not be written is not said to be kept", async () => {
  const name = await file("chats.jsonl", [chat("one"), chat("two")]);
  await mkdir(join(folder, "store", "stuck"), { recursive: true });
  // As on a full disk: the run can be begun, and nothing be put into it.
  await writeFile(join(folder, "store", "stuck", "segments"), "a file");
  const { code, out } = await run(["import", name, "--run", "stuck"]);
  expect(code).not.toBe(0);
  expect(out).toBe("! Nothing was imported.\n");
});

test("what was stopped by Ctrl-C keeps what was read", async () => {
  const stop = new AbortController();
  stop.abort("SIGINT");
  const name = await file("chats.jsonl", [chat("one"), chat("two")]);
  expect((await run(["import", name], { signal: stop.signal })).code).toBe(130);
});

test("a truncated Parquet file is refused with its name", async () => {
  const sample = await sampleStore();
  try {
    await run(["export", "--format", "parquet", "--out", "all"], { env: { LIMBECK_STORE: sample.root } });
  } finally {
    await sample.remove();
  }
  await truncate(join(folder, "all", "steps.parquet"), 1000);
  const { code, err } = await run(["import", "all"]);
  expect(code).toBe(3);
  expect(err).toContain("steps.parquet");
});

test("an unreadable file is refused with its name", async () => {
  const name = await file("secret.jsonl", [chat("one")]);
  await chmod(join(folder, name), 0o000);
  const { code, err } = await run(["import", name, "--format", "openai-chat"]);
  // The super-user may read anything.
  expect(code === 3 ? err.includes("secret.jsonl") : process.getuid?.() === 0).toBe(true);
});

test("a second trajectory of the same id is kept under another, and that is said", async () => {
  const line = (text: string): string => JSON.stringify({ id: "same", ...(JSON.parse(chat(text)) as object) });
  const name = await file("twice.jsonl", [line("one"), line("two")]);
  expect((await run(["import", name])).out).toContain("! 1 trajectory had an id that was taken and got a new one");
  const objects = (await run(["import", name, "--json", "--again"])).objects();
  expect(objects.map((one) => one["event"])).toEqual(["rename", "end"]);
  expect(objects[1]).toMatchObject({ trajectories: 2, skipped: 0, renamed: 1 });
});

test("the same file again adds nothing and says which run has it; a changed one and --again are read", async () => {
  const name = await file("chats.jsonl", [chat("one"), chat("two")]);
  expect((await run(["import", name, "--run", "first"])).code).toBe(0);
  const all = async (): Promise<unknown> =>
    (await run(["sql", "select run, count(*) n from trajectories group by run order by run", "--json"])).objects();
  const again = await run(["import", name, "--run", "second"]);
  expect([again.code, again.err, again.out]).toEqual([
    0,
    "",
    "! chats.jsonl is in run first already, with the same content; it was not imported again. --again does it all the same.\n",
  ]);
  expect(await all()).toEqual([{ run: "first", n: 2 }]);
  // A copy under another name is the same; what was given twice is read once.
  await file("copy.jsonl", [chat("one"), chat("two")]);
  await file("more.jsonl", [chat("one"), chat("three")]);
  const some = await run(["import", "copy.jsonl", "more.jsonl", "more.jsonl", "--run", "third", "--json"]);
  expect(some.objects().at(-1)).toMatchObject({
    run: "third",
    files: 1,
    trajectories: 2,
    known: [
      { path: join(folder, "copy.jsonl"), run: "first" },
      { path: join(folder, "more.jsonl"), run: "third" },
    ],
  });
  expect((await run(["import", name, "--run", "fourth", "--again"])).code).toBe(0);
  expect(await all()).toEqual([
    { run: "first", n: 2 },
    { run: "fourth", n: 2 },
    { run: "third", n: 2 },
  ]);
});

test("a file that a fault cut short is read again", async () => {
  const name = await file("chats.jsonl", [chat("one"), '{"messages": [']);
  expect((await run(["import", name, "--run", "first"])).code).toBe(3);
  const again = await run(["import", name, "--run", "second", "--lenient"]);
  expect(again.out).toContain("Imported 1 trajectory, 1 step in run second");
});
