/** The public sets by small files of their form: what becomes of a line, and what is wrong with one. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { household } from "limbeck-worlds/household/index";
import { createDemonstratorAgent } from "limbeck-core/walk/mind/demonstrator-agent";
import type { Demonstrator } from "limbeck-core/env/expert";
import { openSuite } from "../places.ts";
import { runSuite } from "../run-suite.ts";
import { readSuite, type Suite } from "../suite.ts";
import { publicSets } from "./registry.ts";

const newFolder = temporaryFolders();

async function folderOf(files: Readonly<Record<string, string | Buffer | readonly object[]>>): Promise<string> {
  const folder = await newFolder();
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    const text = Array.isArray(content)
      ? content.map((row) => JSON.stringify(row)).join("\n")
      : (content as string | Buffer);
    await writeFile(join(folder, name), text);
  }
  return folder;
}

async function loaded(id: keyof typeof publicSets, folder: string): Promise<Suite> {
  return readSuite(await publicSets[id].load(folder), id);
}

/** What "perfect" and "empty" have; no program is run, and what is asked to run passes if it is not empty. */
async function bounds(suite: Suite, data: string): Promise<(number | undefined)[]> {
  const places = await openSuite(suite, { data });
  const tools = { runPython: (program: string) => Promise.resolve({ ok: program.includes("return"), output: "" }) };
  const of = async (who: string): Promise<number | undefined> => {
    const policy: Parameters<typeof runSuite>[0]["policy"] = ({ demonstrators }) =>
      Promise.resolve({
        agent: createDemonstratorAgent(demonstrators[who] as Demonstrator),
        close: () => Promise.resolve(),
      });
    return (await runSuite({ suite, places, policy, name: who, tools })).report.accuracy?.mean;
  };
  return [await of("perfect"), await of("empty")];
}

test("gsm8k: the number behind the marker is the answer, lines of the working are the bucket", async () => {
  const rows = [
    { question: "Two and two?", answer: "2+2=<<2+2=4>>4\n#### 4" },
    { question: "A thousand and one?", answer: "One.\nTwo.\n#### 1,001" },
  ];
  const folder = await folderOf({ "test.jsonl": rows });
  const suite = await loaded("gsm8k", folder);
  expect(suite.tasks.map(({ answer, buckets }) => [answer, buckets])).toEqual([
    [4, ["1 steps"]],
    [1001, ["2 steps"]],
  ]);
  expect(await bounds(suite, folder)).toEqual([1, 0]);
  const bad = await folderOf({ "test.jsonl": [rows[0] as object, { question: "?" }] });
  await expect(loaded("gsm8k", bad)).rejects.toThrow(/"test.jsonl", line 2: answer: /);
  await expect(loaded("gsm8k", await newFolder())).rejects.toThrow(
    /no test.jsonl; it is from openai\/grade-school-math/,
  );
});

test("bfcl: calls with any of the right values; where no function fits, nothing is called", async () => {
  const asked = (id: string) => ({
    id,
    question: [[{ role: "user", content: "Area of 10 by 5?" }]],
    function: [
      { name: "m.area", parameters: { type: "dict", properties: { base: { type: "float" }, any: { type: "any" } } } },
    ],
  });
  const folder = await folderOf({
    "BFCL_v4_simple_python.json": [asked("simple_python_0"), asked("simple_python_1")],
    "possible_answer/BFCL_v4_simple_python.json": [
      {
        id: "simple_python_0",
        ground_truth: [{ "m.area": { base: [10, 10.5], unit: ["", "m"], tags: [], opt: [""] } }],
      },
      { id: "simple_python_1", ground_truth: [{ "m.area": { base: [{ x: [1], y: [""] }] } }] },
    ],
    "BFCL_v4_irrelevance.json": [asked("irrelevance_0")],
  });
  const suite = await loaded("bfcl", folder);
  const [first, second, third] = suite.tasks;
  expect(first?.tools?.[0]).toEqual({
    name: "m.area",
    parameters: { type: "object", properties: { base: { type: "number" }, any: {} } },
  });
  expect(JSON.parse(first?.solution ?? "")).toEqual([{ name: "m.area", arguments: { base: 10, unit: "m", tags: [] } }]);
  expect(JSON.parse(second?.solution ?? "")).toEqual([{ name: "m.area", arguments: { base: { x: 1 } } }]);
  expect([third?.answer, third?.buckets]).toEqual([[], ["irrelevance"]]);
  // The floor: one question of three is right to leave alone.
  expect(await bounds(suite, folder)).toEqual([1, 1 / 3]);
  const without = await folderOf({
    "BFCL_v4_multiple.json": [asked("multiple_0")],
    "possible_answer/BFCL_v4_multiple.json": [{ id: "multiple_1", ground_truth: [] }],
  });
  await expect(loaded("bfcl", without)).rejects.toThrow(/has no "multiple_0"/);
});

test("humaneval and mbpp: programs with their tests, packed or not, of the test split alone", async () => {
  const task = {
    task_id: "HumanEval/0",
    prompt: "def one():\n",
    entry_point: "one",
    canonical_solution: "  return 1\n",
    test: "def check(f):\n  assert f() == 1\n",
  };
  const folder = await folderOf({ "HumanEval.jsonl.gz": gzipSync(JSON.stringify(task)) });
  const suite = await loaded("humaneval", folder);
  expect(suite.tasks[0]?.answer).toEqual({ head: task.prompt, name: "one", tests: `${task.test}\ncheck(one)` });
  expect(await bounds(suite, folder)).toEqual([1, 0]);
  await expect(loaded("humaneval", await folderOf({ "HumanEval.jsonl.gz": "no" }))).rejects.toThrow(
    /cannot be unpacked/,
  );
  const row = (id: number) => ({
    task_id: id,
    text: "One.",
    code: "def one(): return 1",
    test_list: ["assert one() == 1"],
  });
  const programs = await folderOf({ "mbpp.jsonl": [row(10), row(11), row(510), row(511)] });
  const mbpp = await loaded("mbpp", programs);
  expect(mbpp.tasks.map(({ id }) => id)).toEqual(["mbpp/11", "mbpp/510"]);
  expect(await bounds(mbpp, programs)).toEqual([1, 0]);
});

test("alfworld: games of every split but train, and a folder that can lie anywhere", async () => {
  const files: Record<string, string> = {};
  for (const [split, seed] of [
    ["train", 1],
    ["valid", 2],
  ] as const) {
    for await (const { path, text } of household.generate?.({ seed, count: 2, split }) ?? []) files[path] = text;
  }
  const [folder, other] = [await folderOf(files), await folderOf(files)];
  const suite = await loaded("alfworld", folder);
  expect(new Set(suite.tasks.map(({ split }) => split)).size).toBe(1);
  expect(suite.tasks.length).toBe(2);
  expect(await loaded("alfworld", other)).toEqual(suite);
  expect(await bounds(suite, folder)).toEqual([1, 0]);
});
