import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { exportTrajectories } from "limbeck-store/record/export.operation";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { sampleStore } from "../../../../../test/support/sample-store.ts";

let folder: string;
let store: Awaited<ReturnType<typeof sampleStore>>;
beforeAll(async () => {
  store = await sampleStore();
});
afterAll(() => store.remove());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-export-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const run = (...words: string[]) => limbeck(words, { cwd: folder, env: { LIMBECK_STORE: store.root } });

test("writes what import reads back", async () => {
  const { code, out, err } = await run("export", "--format", "parquet", "--out", "all");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^✓ Wrote 3 trajectories to all \(parquet, .* kB\)\n$/);
  const elsewhere = (...words: string[]) =>
    limbeck(words, { cwd: folder, env: { LIMBECK_STORE: join(folder, "store") } });
  expect((await elsewhere("import", "all", "--run", "copy")).code).toBe(0);
  const counted = await elsewhere("sql", "select count(*) n from trajectories", "--run", "copy", "--json");
  expect(counted.objects()).toEqual([{ n: 3 }]);
});

test("says what is lost, and writes nothing over", async () => {
  const words = ["export", "--format", "openai-chat", "--out", "demo.jsonl", "--run", "demo"];
  expect((await run(...words)).err).toMatch(/^! openai-chat cannot hold everything\. Lost: /);
  expect((await run(...words)).code).toBe(2);
  expect((await run(...words, "--overwrite")).code).toBe(0);
  expect((await readFile(join(folder, "demo.jsonl"), "utf8")).trim().split("\n")).toHaveLength(2);
  const json = (await run(...words, "--overwrite", "--json")).objects()[0];
  expect(json).toMatchObject({ format: "openai-chat", trajectories: 2, path: join(folder, "demo.jsonl") });
});

test("a condition chooses; one that fits nothing or is wrong writes nothing", async () => {
  const words = ["export", "--format", "atif", "--out", "some.atif.json", "--where"];
  expect((await run(...words, "reward > 99")).err).toContain("No stored trajectory matches, so nothing was written.");
  expect((await run(...words, "rewrad > 1")).code).toBe(3);
  expect(existsSync(join(folder, "some.atif.json"))).toBe(false);
  expect((await run(...words, "success -- the good one", "--overwrite")).out).toContain("Wrote 1 trajectory");
});

test("format and target must be named", async () => {
  expect((await run("export", "--out", "x")).err).toContain('"limbeck export" needs --format F; known: ');
  expect((await run("export", "--format", "atif")).err).toContain("needs --out PATH");
});

test("a target that ends in a slash is a folder, and what cannot be written is not offered", async () => {
  expect((await run("export", "--format", "atif", "--out", "each/")).code).toBe(0);
  expect(await readdir(join(folder, "each"))).toHaveLength(3);
  const refused = await run("export", "--format", "recorder", "--out", "x");
  expect([
    refused.code,
    refused.err.includes("Known: adp, anthropic-chat, atif, openai-chat, otel, parquet, preferences."),
  ]).toEqual([2, true]);
});

test("from code: what is only read cannot be written, and what was written is emitted", async () => {
  const call = { store: store.root, cwd: folder };
  const refused = exportTrajectories({ format: "recorder", out: "x" }, call);
  await expect(refused).rejects.toMatchObject({ code: "read-only-format" });
  const lines: object[] = [];
  const emit = (line: object): void => void lines.push(line);
  await exportTrajectories({ format: "atif", out: "code.atif.jsonl", run: "demo" }, { ...call, emit });
  expect(lines).toMatchObject([{ format: "atif", trajectories: 2 }]);
});

test("spans without content hold no text of a message", async () => {
  const words = ["export", "--format", "otel", "--run", "demo", "--out"];
  await run(...words, "with.json");
  await run(...words, "without.json", "--no-content");
  const [kept, left] = await Promise.all(
    ["with.json", "without.json"].map((name) => readFile(join(folder, name), "utf8")),
  );
  expect([kept?.includes("input.messages"), left?.includes("input.messages")]).toEqual([true, false]);
});

test("preferences: pairs of stored episodes as chat messages, one a line", async () => {
  const { code, out, err } = await run("export", "--format", "preferences", "--out", "pairs.jsonl", "--json");
  expect([code, err]).toEqual([0, ""]);
  const said = JSON.parse(out) as Record<string, unknown>;
  const lines = (await readFile(join(folder, "pairs.jsonl"), "utf8")).trim().split("\n");
  expect(said).toMatchObject({ format: "preferences", pairs: lines.length });
  const pair = JSON.parse(lines[0] ?? "") as Record<string, { readonly role: string }[]>;
  expect(Object.keys(pair)).toEqual(["prompt", "chosen", "rejected", "margin", "source", "task", "from"]);
  expect([
    pair["prompt"]?.at(-1)?.role === "assistant",
    pair["chosen"]?.[0]?.role,
    pair["rejected"]?.[0]?.role,
  ]).toEqual([false, "assistant", "assistant"]);
});

test("preferences: a source that finds nothing says so, a wrong name lists the known, and --pairs goes with nothing else", async () => {
  const words = ["export", "--format", "preferences", "--out", "pairs.jsonl"];
  expect((await run(...words, "--pairs", "r3l")).err).toContain("No pairs of r3l among");
  expect((await run(...words, "--pairs", "csp")).err).toContain('"cso"');
  expect((await run("export", "--format", "atif", "--out", "x", "--pairs", "cso")).err).toContain("--pairs goes with");
  expect(existsSync(join(folder, "pairs.jsonl"))).toBe(false);
});
