/** `limbeck suite`, as a person types it. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { limbeck } from "../../../../../test/support/fake-io.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { ownSuites } from "limbeck-testing/suite/own/registry";

const newFolder = temporaryFolders();
const SUMS = `suite: sums
grader: number
tasks:
  - { id: a, prompt: "2 + 2?", answer: 4, solution: "4", buckets: [easy] }
  - { id: b, prompt: "12 * 12?", answer: 144, solution: "#### 144" }
`;

async function withSums(text = SUMS): Promise<string> {
  const folder = await newFolder();
  await writeFile(join(folder, "sums.yaml"), text);
  return folder;
}

test("suites by name, and where the public ones can be had", async () => {
  const { code, objects } = await limbeck(["suite", "--json"]);
  expect(code).toBe(0);
  const listed = objects();
  const publicOnes = listed.filter(({ from }) => from !== null).map(({ id }) => id);
  expect(publicOnes).toEqual(["alfworld", "bfcl", "gsm8k", "humaneval", "mbpp"]);
  expect(listed.map(({ id }) => id)).toEqual([...Object.keys(ownSuites), ...publicOnes]);
});

test("a file is asked, and the report is written; two runs agree on all but the time", async () => {
  const cwd = await withSums();
  let clock = 0;
  const ask = (...words: string[]) => limbeck(["suite", "sums.yaml", ...words], { cwd, now: () => (clock += 17) });
  const { code, out } = await ask("--policy", "perfect", "--out", "one.json");
  expect(code).toBe(0);
  expect(out).toContain("Accuracy 1.000 [0.342, 1.000] over 2 tasks, 2 episodes.");
  expect((await ask("--policy", "perfect", "--out", "two.json")).code).toBe(0);
  expect(await readFile(join(cwd, "one.json"), "utf8")).toBe(await readFile(join(cwd, "two.json"), "utf8"));
  expect((await ask("--policy", "perfect", "--out", "one.json")).err).toContain('"one.json" is there already');
});

test("with --least the exit code is 4 where accuracy is less", async () => {
  const cwd = await withSums();
  const [good, bad] = [
    await limbeck(["suite", "sums.yaml", "--policy", "perfect", "--least", "1", "--json"], { cwd }),
    await limbeck(["suite", "sums.yaml", "--policy", "empty", "--least", "0.1", "--json"], { cwd }),
  ];
  expect([good.code, bad.code]).toEqual([0, 4]);
  const [one, two, report, end] = bad.objects();
  expect([one, two]).toMatchObject([
    { event: "graded", id: "a", score: 0 },
    { id: "b", why: { number: expect.any(String) } },
  ]);
  expect(report).toMatchObject({ suite: "sums", tasks: 2, accuracy: { mean: 0 }, buckets: { easy: { tasks: 1 } } });
  expect(end).toMatchObject({ event: "end", ok: false });
});

test("our own worlds, some of their tasks", async () => {
  const { code, objects } = await limbeck(["suite", "small-worlds", "--policy", "perfect", "--tasks", "2", "--json"]);
  expect(code).toBe(0);
  expect(objects().at(-2)).toMatchObject({ tasks: 10, accuracy: { mean: 1 }, cost: { modelCalls: 0 } });
});

test.each([
  [["nowhere", "--policy", "empty"], 2, /No suite "nowhere"/],
  [["gsm8k", "--policy", "empty"], 2, /name the folder where it lies with --data DIR/],
  [["sums.yaml"], 2, /needs --policy/],
  [["sums.yaml", "--policy", "nobody"], 2, /No policy "nobody"/],
  [["sums.yaml", "--policy", "a", "--model", "b"], 2, /both name who is asked/],
  [["small-worlds", "--policy", "random", "--data", "x"], 2, /comes with its tasks/],
  [["none.yaml", "--policy", "empty"], 3, /Cannot read "none.yaml"/],
])("%j is refused", async (words, exit, say) => {
  const { code, err } = await limbeck(["suite", ...words], { cwd: await withSums() });
  expect(code).toBe(exit);
  expect(err.replaceAll(/\s+/g, " ")).toMatch(say);
});

test.each([
  ["grader: numbr", /No grader "numbr". Did you mean "number"/],
  ["grader: { use: number, options: { withn: 1 } }", /withn/],
  ["grader: text", /task a: `answer` has to be a text/],
  ["grader: python-tests", /--run-code/],
  ["grader: judge", /--judge/],
])("a file with %s is refused before anything is asked", async (line, say) => {
  const cwd = await withSums(SUMS.replace("grader: number", line));
  const { code, err } = await limbeck(["suite", "sums.yaml", "--policy", "empty"], { cwd });
  expect(code).toBeGreaterThan(1);
  expect(err.replaceAll(/\s+/g, " ")).toMatch(say);
});

test("a file may start no program unless the person says so", async () => {
  const world = "suite: s\ntasks:\n  - { id: a, world: agent, options: { command: rm } }\n";
  const { code, err } = await limbeck(["suite", "sums.yaml", "--policy", "empty"], { cwd: await withSums(world) });
  expect([code, err.replaceAll(/\s+/g, " ")]).toEqual([2, expect.stringContaining("limbeck suite --allow-commands")]);
});
