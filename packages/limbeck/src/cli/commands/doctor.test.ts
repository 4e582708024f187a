import { readFileSync } from "node:fs";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import type { Invocation } from "../command.ts";
import { isNewEnough, storeFolder, type Check } from "../doctor/checks.ts";
import { createStyle } from "../look/style.ts";
import { diagnose } from "./doctor.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-doctor-test-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test("this machine works: every required check really ran", async () => {
  const { code, objects } = await limbeck(["doctor", "--json", "--store", join(folder, "new", "store")]);
  expect(code).toBe(0);
  const states = Object.fromEntries(objects().map((finding) => [finding["check"], finding["state"]]));
  expect(states).toEqual({
    "Node.js": "ok",
    machine: "ok",
    DuckDB: "ok",
    ONNX: "ok",
    Parquet: "ok",
    store: expect.stringMatching(/^(ok|warning)$/) as string,
    terminal: "note",
    optional: "ok",
    tools: "note",
  });
});

test("a person sees marks, and what to try next", async () => {
  const { out } = await limbeck(["doctor", "--store", folder]);
  expect(out).toMatch(/^limbeck \d+\.\d+\.\d+\n\n✓ Node\.js {3}\d/);
  expect(out).toContain("✓ Parquet   a trajectory written, committed and read back in 0 ms\n");
  expect(out).toContain("  limbeck import FILE ");
});

function run(checks: readonly Check[]): Promise<{ code: number; lines: string[] }> {
  const lines: string[] = [];
  const invocation = {
    io: { now: () => 0, signal: new AbortController().signal, terminal: { out: false, columns: 80 } },
    style: createStyle(false),
    quiet: true,
    json: false,
    print: (line = "") => void lines.push(line),
  } as unknown as Invocation;
  return diagnose(invocation, checks, () => undefined).then((code) => ({ code, lines }));
}

test("something required that is broken fails, with what to do; the other checks still run", async () => {
  const { code, lines } = await run([
    { name: "one", required: true, run: () => Promise.reject(new Error("no such \u001b[31mlibrary")) },
    { name: "two", required: true, run: () => ({ state: "broken", value: "gone", hint: "Bring it back." }) },
    { name: "three", required: false, run: () => ({ state: "warning", value: "slow", hint: "Buy a new one." }) },
  ]);
  expect(code).toBe(1);
  expect(lines.slice(2)).toEqual([
    "✗ one    no such \\x1b[31mlibrary",
    "         → Install again (npm ci); LIMBECK_DEBUG=1 shows more.",
    "✗ two    gone",
    "         → Bring it back.",
    "! three  slow",
    "         → Buy a new one.",
    "",
    "2 things that Limbeck needs are broken; the arrows say what to do.",
  ]);
});

test("something optional that is broken does not fail", async () => {
  const { code, lines } = await run([
    { name: "gpu", required: false, run: () => ({ state: "broken", value: "none", hint: "x" }) },
  ]);
  expect(code).toBe(0);
  expect(lines.at(-1)).toBe("Limbeck works here; the arrows say what could be better.");
});

test("knows which Node is new enough", () => {
  const { engines } = JSON.parse(readFileSync(new URL("../../../../../package.json", import.meta.url), "utf8")) as {
    readonly engines: { readonly node: string };
  };
  expect(engines.node).toBe("^20.19.0 || ^22.12.0 || >=24.0.0");
  expect(["20.19.0", "20.20.2", "22.12.0", "24.0.0", "26.1.0"].filter(isNewEnough)).toHaveLength(5);
  expect(["18.20.0", "20.18.9", "21.30.0", "22.11.0", "23.1.0", "nonsense"].filter(isNewEnough)).toEqual([]);
});

const check = (storeRoot: string) =>
  storeFolder.run({ storeRoot, io: { cwd: folder }, style: createStyle(false) } as unknown as Invocation);

test("a store folder that is a file, or may not be written, is found by trying", async () => {
  const file = join(folder, "file");
  await writeFile(file, "");
  expect(await check(join(file, "store"))).toMatchObject({
    state: "broken",
    value: expect.stringContaining("is a file") as string,
  });
  const locked = await mkdtemp(join(folder, "locked-"));
  await chmod(locked, 0o500);
  const finding = await check(locked);
  // The super-user may write anywhere; everybody else must be told.
  expect(finding.state === "broken" || process.getuid?.() === 0).toBe(true);
  await chmod(locked, 0o700);
});
