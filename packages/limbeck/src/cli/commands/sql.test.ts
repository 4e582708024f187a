import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());

const sql = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(["sql", ...words, "--store", store.root], options);

test("a table, whole", async () => {
  const { out } = await sql(["select id, ending, reward, success, goal from trajectories order by id"]);
  expect(out).toBe(`id         ending      reward  success  goal
─────────  ──────────  ──────  ───────  ────────────────────────────
hostile-1  failed           ∅  ∅        \\x1b[2Jwipe \\u202ethe screen
kitchen-1  truncated      0.5  false    put a clean mug on the desk
kitchen-2  terminated       1  true     put a clean mug on the desk

3 rows in 0 ms
`);
});

test("one run only, and the statement from standard input", async () => {
  const { objects } = await sql(["-", "--run", "demo", "--json"], { input: "select count(*) as n from trajectories" });
  expect(objects()).toEqual([{ n: 2 }]);
});

test("CSV is exact in a pipe and clean on a terminal", async () => {
  const words = ["--format", "csv", `select goal, 'a,"b"' x, null y, '' z from tasks where id = 'evil-1'`];
  expect((await sql(words)).out).toBe('goal,x,y,z\r\n\u001b[2Jwipe \u202ethe screen,"a,""b""",,""\r\n');
  expect((await sql(words, { terminal: { out: true }, env: { NO_COLOR: "1" } })).out).toBe(
    'goal,x,y,z\n\\x1b[2Jwipe \\u202ethe screen,"a,""b""",,""\n',
  );
});

test("JSON rows: lists, large numbers, columns of one name", async () => {
  const statement = "select 1 a, 2 a, 9007199254740993 big, [1, 2] list, '\u009b' c1";
  const { out, objects } = await sql([statement, "--json"]);
  expect(objects()).toEqual([{ a: 1, a_2: 2, big: "9007199254740993", list: [1, 2], c1: "\u009b" }]);
  expect(out).toContain('"\\u009b"');
});

test("a long table is cut with a remark", async () => {
  const { out, err } = await sql(["select * from range(250)", "--limit", "3"]);
  expect(out).toContain("250 rows in");
  expect(err).toBe("247 more not shown; --limit 0 shows all, --format csv writes all.\n");
});

test("a wrong statement is bad input that says where; a change is refused", async () => {
  const wrong = await sql(["selct 1"]);
  expect(wrong.code).toBe(3);
  expect(wrong.err).toContain("LINE 1: selct 1");
  const change = await sql(["create table x as select 1"]);
  expect(change.code).toBe(2);
  expect(change.err).toContain("read-only");
  expect((await sql([])).code).toBe(2);
});

test("lists the views and their columns", async () => {
  const { objects } = await sql(["--tables", "--json"]);
  const views = new Set(objects().map((column) => String(column["view"])));
  expect([...views]).toEqual([
    "events",
    "metrics",
    "rewards",
    "runs",
    "skills",
    "steps",
    "tasks",
    "tokens",
    "trajectories",
  ]);
  expect((await sql(["--tables"])).out).toMatch(/^view +column +type\n/);
});

test("Ctrl-C stops a query that would take hours", async () => {
  const stop = new AbortController();
  const endless = "select count(*) from range(10000000) a, range(10000000) b where a.range % 7 = b.range % 11";
  const running = sql([endless], { signal: stop.signal });
  setTimeout(() => stop.abort("SIGINT"), 200);
  const { code, out, err } = await running;
  expect([code, out, err]).toEqual([130, "", "stopped  As asked. What was committed before is kept.\n"]);
});

test("a run that cannot be read is named; the others answer when it is left out", async () => {
  const broken = await sampleStore();
  try {
    await writeFile(join(broken.root, "evil", "run.json"), "nonsense");
    const words = ["sql", "select count(*) n from trajectories", "--store", broken.root];
    const refused = await limbeck([...words, "--strict"]);
    expect([refused.code, refused.err.includes('Run "evil" cannot be read')]).toEqual([3, true]);
    const left = await limbeck(words);
    expect([left.code, left.err.startsWith("! Left out run evil: ")]).toEqual([0, true]);
    expect(left.err).toContain("limbeck runs set-aside evil");
    expect((await limbeck([...words, "--json"])).objects()).toEqual([{ n: 2 }]);
    const listed = await limbeck(["runs", "--store", broken.root]);
    expect(listed.err).toContain("limbeck runs set-aside evil");
    const compacted = await limbeck(["compact", "--store", broken.root]);
    expect([compacted.code, compacted.err.includes("! Left run evil as it is: ")]).toEqual([1, true]);
    expect((await limbeck(["runs", "set-aside", "evil", "--store", broken.root])).out).toContain("is set aside");
    expect(await limbeck(words)).toMatchObject({ code: 0, err: "" });
    expect((await limbeck(["runs", "--store", broken.root])).out).toContain("1 run set aside");
    expect((await limbeck(["runs", "set-aside", "evil", "--back", "--store", broken.root])).out).toContain("is back");
    expect((await limbeck(["runs", "--store", broken.root])).out).toContain("✗ ");
  } finally {
    await broken.remove();
  }
});
