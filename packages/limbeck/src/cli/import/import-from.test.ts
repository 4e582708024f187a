import { appendFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { limbeck, type FakeOptions } from "../../../../../test/support/fake-io.ts";

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "limbeck-from-"));
  const samples = new URL("../../../../../test/samples/sessions/", import.meta.url);
  await cp(new URL("claude-code", samples), join(home, ".claude", "projects"), { recursive: true });
  await cp(new URL("pi", samples), join(home, ".pi", "agent", "sessions"), { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

const run = (words: readonly string[], options: FakeOptions = {}) =>
  limbeck(words, { cwd: home, env: { HOME: home, LIMBECK_STORE: join(home, "store") }, ...options });
const counted = async (): Promise<unknown> =>
  (await run(["sql", "select count(*) n, sum(step_count) steps from trajectories", "--json"])).objects()[0];

test("it says what it found, asks, and reads nothing where the answer is no or nobody can answer", async () => {
  const alone = await run(["import", "--from", "claude-code"]);
  expect([alone.code, alone.err]).toEqual([2, expect.stringContaining("Found 3 session files of Claude Code")]);
  expect(alone.err.replaceAll(/\s+/g, " ")).toContain("--yes reads them");
  expect((await run(["import", "--from", "claude-code"], { answer: "no" })).out).toBe("Nothing was read.\n");
  expect(await readdir(home)).not.toContain("store");
  const yes = await run(["import", "--from", "claude-code", "--run", "mine"], { answer: "y" });
  expect([yes.code, yes.out]).toEqual([0, expect.stringContaining("✓ Imported 3 trajectories, 12 steps in run mine")]);
  expect(await counted()).toEqual({ n: 3, steps: 12 });
});

test("a second import adds nothing; a session that went on is continued where it lies", async () => {
  await run(["import", "--from", "pi", "--yes", "--run", "first"]);
  expect((await run(["import", "--from", "pi", "--yes", "--json"])).objects().at(-1)).toMatchObject({
    run: null,
    trajectories: 0,
    known: [{ run: "first" }],
  });
  const folder = join(home, ".pi", "agent", "sessions", "--home-ann-sum--");
  const [name = ""] = await readdir(folder);
  const more = [
    {
      type: "message",
      id: "x1",
      parentId: "954f66b7",
      timestamp: "2026-11-17T01:00:00Z",
      message: { role: "user", content: "Thanks. And the docs?" },
    },
    {
      type: "message",
      id: "x2",
      parentId: "x1",
      timestamp: "2026-11-17T01:00:01Z",
      message: { role: "assistant", content: [{ type: "text", text: "There are none." }] },
    },
  ];
  await appendFile(join(folder, name), more.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const again = await run(["import", "--from", "pi", "--yes", "--json"]);
  expect(again.objects().at(-1)).toMatchObject({ run: null, trajectories: 1, steps: 1, continued: 1 });
  // Four steps before, one more now, in the same run.
  expect(await counted()).toEqual({ n: 2, steps: 5 });
  const shown = (await run(["traces", "summary", "--json"])).objects();
  expect(shown.at(-1)).toMatchObject({ event: "summary", sessions: 1, unknown: 0 });
  expect(shown).toContainEqual({ event: "outcome", evidence: "tests", successes: 1, failures: 0 });
  expect(shown).toContainEqual({ event: "tool", tool: "bash", calls: 3, errors: 1, refused: 0 });
});

test("files of a program are told by their beginning; a half-written line is left out and said", async () => {
  const folder = join(".pi", "agent", "sessions", "--home-ann-sum--");
  const [name = ""] = await readdir(join(home, folder));
  expect((await run(["import", join(folder, name), "--run", "named"])).out).toContain("1 trajectory, 4 steps");
  await appendFile(join(home, folder, name), '{"type":"message","id":"half');
  const cut = await run(["import", "--from", "pi", "--yes", "--again"]);
  expect([cut.code, cut.out]).toEqual([0, expect.stringContaining("Skipped 1 record")]);
});

test("what is missing or unknown says the way out", async () => {
  expect((await run(["import", "--from", "codex", "--yes"])).err.replaceAll(/\s+/g, " ")).toContain(
    "Nothing of Codex CLI was found",
  );
  expect((await run(["import", "--from", "claude"])).err).toContain("claude-code");
  expect((await run(["import"])).err).toContain("--from claude-code");
  expect((await run(["import", "--from", "langsmith"])).err).toContain("name them");
  expect((await run(["import", "--from", "pi", "--format", "atif", "x"])).code).toBe(2);
  expect((await run(["import", "--from", "pi", "--yes", "--redact", "(a)\\1"])).err).toContain("Nothing was imported");
});
