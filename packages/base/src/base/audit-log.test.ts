import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { withoutRights } from "../../../../test/support/without-rights.ts";
import type { AuditEntry } from "./access.ts";
import { openAudit } from "./audit-log.ts";

const newFolder = temporaryFolders();
const entry = (path: string): AuditEntry => ({
  server: "studio",
  who: "ann",
  from: "127.0.0.1",
  method: "POST",
  path,
  role: "write",
  status: 200,
});
const read = async (file: string): Promise<Record<string, unknown>[]> =>
  (await readFile(file, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("one line for each, in order, with the time; long paths are cut", async () => {
  const file = join(await newFolder(), "logs", "audit.jsonl");
  const audit = openAudit(file, { now: () => new Date("2027-01-01T00:00:00Z") });
  audit.write(entry("/a\n"));
  audit.write(entry("/".repeat(1_000)));
  await audit.close();
  const lines = await read(file);
  expect(lines[0]).toEqual({ time: "2027-01-01T00:00:00.000Z", ...entry("/a\n") });
  expect([lines.length, String(lines[1]?.["path"]).length]).toEqual([2, 300]);
});

test("files are bounded in size and number, and the newest lines are in the newest file", async () => {
  const folder = await newFolder();
  const file = join(folder, "audit.jsonl");
  const audit = openAudit(file, { mostBytes: 400, kept: 2 });
  for (let number = 0; number < 20; number += 1) {
    audit.write(entry(`/${number}`));
    await audit.close();
  }
  expect((await readdir(folder)).sort()).toEqual(["audit.jsonl", "audit.jsonl.1", "audit.jsonl.2"]);
  const numbers: number[] = [];
  for (const name of ["audit.jsonl.2", "audit.jsonl.1", "audit.jsonl"]) {
    const lines = await read(join(folder, name));
    numbers.push(...lines.map(({ path }) => Number(String(path).slice(1))));
    // A line of some 130 bytes that begins below the bound may end above it.
    expect((await readFile(join(folder, name))).length).toBeLessThan(600);
  }
  expect(numbers.at(-1)).toBe(19);
  expect(numbers).toEqual(Array.from(numbers, (_, at) => 20 - numbers.length + at));
});

test("a flood is counted, not kept: the log says how many lines it lost", async () => {
  const file = join(await newFolder(), "audit.jsonl");
  const problems: string[] = [];
  const audit = openAudit(file, { onProblem: (problem) => problems.push(problem) });
  for (let number = 0; number < 10_500; number += 1) audit.write(entry("/flood"));
  await audit.close();
  const lines = await read(file);
  expect([lines.length, lines.at(-1)?.["lost"], problems.length]).toEqual([10_001, 500, 1]);
});

test.skipIf(process.platform === "win32")(
  "a place that cannot be written is refused at the start (needs file modes)",
  async () => {
    const folder = await newFolder();
    await withoutRights(folder, () => {
      expect(() => openAudit(join(folder, "audit.jsonl"))).toThrow(/cannot be written \(EACCES\)/);
    });
  },
);
