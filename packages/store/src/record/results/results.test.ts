import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { compareResults } from "./compare-results.ts";
import { readResults } from "./read-results.ts";

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), "limbeck-results-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));
const write = (name: string, content: unknown) =>
  writeFile(
    join(cwd, name),
    typeof content === "string" || content instanceof Uint8Array ? content : JSON.stringify(content),
  );
const lines = (values: readonly unknown[]): string => values.map((value) => JSON.stringify(value)).join("\n");
const read = (name: string) => readResults(name, { cwd });
const scores = async (name: string, metric: string) => [...(await read(name)).trials(metric).values()];

test("promptfoo: providers and prompts are arms, tests are paired by their variables, errors have no score", async () => {
  const one = (question: string, provider: string, success: boolean, more: object = {}) => ({
    testIdx: 7,
    promptIdx: 0,
    provider: { id: provider, label: "" },
    testCase: { vars: { question }, assert: [] },
    success,
    score: success ? 1 : 0.25,
    namedScores: { tone: 0.5 },
    ...more,
  });
  const results = [
    one("a", "openai:mini", false),
    one("a", "other:max", true),
    one("b", "other:max", true),
    one("b", "openai:mini", false, { failureReason: 2, error: "429" }),
  ];
  await write("promptfoo.json", { evalId: "eval-x", results: { version: 3, prompts: [], results, stats: {} } });
  await expect(read("promptfoo.json")).rejects.toThrow('holds 2 arms; name one: "promptfoo.json#openai:mini prompt 1"');
  await expect(read("promptfoo.json#neither")).rejects.toThrow(
    'No arm of "promptfoo.json#neither" is called "neither"',
  );
  expect(await read("promptfoo.json#mini")).toMatchObject({
    format: "promptfoo",
    arm: "openai:mini prompt 1",
    main: "pass",
  });
  expect(await scores("promptfoo.json#mini", "score")).toEqual([[0.25], [undefined]]);
  const found = compareResults(await read("promptfoo.json#mini"), await read("promptfoo.json#max"));
  expect(found).toMatchObject({ tasks: 1, better: 1, first: { unscored: 1 }, second: { unscored: 0 } });
});

test("Inspect: archives and JSON, letters as numbers, epochs as trials, scorers with several values", async () => {
  const samples = [
    { id: 1, epoch: 1, scores: { match: { value: "C" }, parts: { value: { style: 0.5, tone: "P" } } } },
    { id: 1, epoch: 2, scores: { match: { value: "I" } } },
    { id: "two", epoch: 1, scores: { match: { value: "N" } } },
  ];
  await write("log.json", { version: 2, status: "success", eval: { task: "t" }, samples });
  await write("log.eval", zipOf({ "header.json": {}, "summaries.json": samples }));
  await write(
    "half.eval",
    zipOf({ "_journal/summaries/1.json": samples.slice(0, 2), "_journal/summaries/2.json": samples.slice(2) }),
  );
  for (const name of ["log.json", "log.eval", "half.eval"]) {
    expect(await scores(name, "match")).toEqual([[1, 0], [0]]);
    expect((await read(name)).metrics).toEqual(["match", "parts.style", "parts.tone"]);
  }
  await write("bad.eval", "PK no archive");
  await expect(read("bad.eval")).rejects.toThrow("cannot be read as an archive: it has no directory at its end");
});

test("lm-evaluation-harness: a folder of samples, metrics with their filter, documents by place and hash", async () => {
  const sample = (doc: number, filter: string, right: number) => ({
    doc_id: doc,
    doc: {},
    resps: [["4"]],
    filter,
    metrics: ["exact_match"],
    doc_hash: `h${doc}`,
    exact_match: right,
  });
  for (const [side, right] of [
    ["one", 0],
    ["two", 1],
  ] as const) {
    await mkdir(join(cwd, side));
    await write(`${side}/results_2026-01-01T00-00-00.1.json`, { results: {} });
    for (const task of ["gsm8k", "arc"])
      await write(
        `${side}/samples_${task}_2026-01-0${1 + right}T00-00-00.1.jsonl`,
        lines([sample(0, "strict", right), sample(0, "loose", 1)]),
      );
  }
  const sides = [await read("one"), await read("two")] as const;
  expect(() => compareResults(...sides)).toThrow("Both hold 2 metrics; name one with --metric");
  expect(compareResults(...sides, { metric: "exact_match,strict" })).toMatchObject({ tasks: 2, better: 2, worse: 0 });
  await write("two/samples_arc_2026-01-09T00-00-00.1.jsonl", lines([sample(0, "strict", 1)]));
  await expect(read("two")).rejects.toThrow('several files of the task "arc"');
});

test("Vitest's JSON report: pass, average and named scores, trials of limbeck/vitest", async () => {
  const report = (status: string, meta: object) => ({
    numTotalTests: 1,
    testResults: [
      {
        name: "/somewhere/refund.eval.ts",
        assertionResults: [{ fullName: "refund pays", title: "pays", status, meta }],
      },
    ],
  });
  await write("vitest.json", report("failed", { eval: { avgScore: 0.6, scores: [{ name: "Judge", score: 0.2 }] } }));
  expect((await read("vitest.json")).metrics).toEqual(["pass", "score", "Judge"]);
  expect(await scores("vitest.json", "pass")).toEqual([[0]]);
  await write("trials.json", report("passed", { limbeck: { trials: [true, false, true] } }));
  const found = compareResults(await read("vitest.json"), await read("trials.json"));
  expect(found).toMatchObject({ metric: "pass", tasks: 1, test: "t", difference: 2 / 3, second: { trials: 3 } });
});

test("Langfuse: score columns of exported traces, paired by dataset item or input", async () => {
  const row = (id: string, more: object) => ({ id, projectId: "p", bookmarked: false, tags: ["a"], ...more });
  await write(
    "traces.jsonl",
    lines([
      row("t1", { input: { q: 1 }, helpful: [1], comment: null }),
      row("t2", { input: { q: 2 }, helpful: [0, 1] }),
    ]),
  );
  await write("api.json", {
    data: [
      row("t9", { input: { q: 2 }, scores: [{ name: "helpful", value: 1, dataType: "NUMERIC" }] }),
      row("t8", { datasetItemId: "item", scores: [{ name: "helpful", value: 0 }] }),
    ],
  });
  expect((await read("traces.jsonl")).metrics).toEqual(["helpful"]);
  // One trace as its page downloads it, and several of these as lines.
  const one = { trace: row("t7", { input: { q: 2 }, scores: [{ name: "helpful", value: 0.25 }] }), observations: [] };
  await write("trace.json", JSON.parse(JSON.stringify(one)) as object);
  await write("downloaded.jsonl", lines([one, { ...one, trace: { ...one.trace, id: "t6" } }]));
  for (const [name, trials] of [
    ["trace.json", 1],
    ["downloaded.jsonl", 2],
  ] as const)
    expect(compareResults(await read("api.json"), await read(name))).toMatchObject({
      tasks: 1,
      difference: -0.75,
      second: { trials },
    });
  expect(compareResults(await read("traces.jsonl"), await read("api.json"))).toMatchObject({
    tasks: 1,
    difference: 0.5,
    first: { alone: 1, trials: 2 },
    second: { alone: 1 },
  });
});

test("trajectories of every format that is imported: success by task", async () => {
  const atif = { schema_version: "ATIF-v1.6", session_id: "s", agent: { name: "a", version: "1" }, steps: [] };
  await write("atif.json", {
    ...atif,
    steps: [
      { step_id: 1, source: "user", message: "Pay." },
      { step_id: 2, source: "agent", message: "Paid." },
    ],
  });
  expect(await read("atif.json")).toMatchObject({ format: "trajectories", metrics: ["success", "reward"] });
});

test("what shows no format is refused with the way out", async () => {
  await write("other.txt", "hello");
  await expect(read("other.txt")).rejects.toThrow("Name it with --format: inspect, vitest-evals");
  await write("empty.json", { numTotalTests: 0, testResults: [] });
  await expect(read("empty.json")).rejects.toThrow("holds no result of vitest-evals");
});

/** An archive as Inspect writes it, without checksums. */
function zipOf(members: Readonly<Record<string, unknown>>): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let at = 0;
  for (const [name, value] of Object.entries(members)) {
    const [text, packed] = [Buffer.from(name), deflateRawSync(JSON.stringify(value))];
    const [head, entry] = [Buffer.alloc(30), Buffer.alloc(46)];
    head.writeUInt32LE(0x0403_4b50, 0);
    head.writeUInt16LE(text.length, 26);
    entry.writeUInt32LE(0x0201_4b50, 0);
    entry.writeUInt16LE(8, 10);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(JSON.stringify(value).length, 24);
    entry.writeUInt16LE(text.length, 28);
    entry.writeUInt32LE(at, 42);
    files.push(head, text, packed);
    directory.push(entry, text);
    at += 30 + text.length + packed.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50, 0);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...files, ...directory, end]);
}
