import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { forest } from "../../../../../test/support/forests.ts";
import { foreignDocuments } from "../../../../../test/support/atif-documents.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { scored } from "limbeck-base/trajectory/score";
import { validateForest } from "limbeck-base/trajectory/forest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { atif, joinAgents, readDocument, toDocument } from "./atif.ts";
import { isStrictAtif, type AtifDocument } from "./atif-schema.ts";
import { formatContract } from "./format.contract.ts";
import type { ReadOptions, Skip } from "./source.ts";

const place = { file: "a.json", line: 1 };

function document(steps: readonly object[], more: object = {}): object {
  return { schema_version: "ATIF-v1.7", trajectory_id: "t", agent: { name: "a", version: "1" }, steps, ...more };
}
const hello = { step_id: 1, source: "user", message: "hello" };

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}
async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe("atif", () => {
  formatContract(atif, {
    line: (number) => JSON.stringify(document([hello], { trajectory_id: `t${number}`, notes: "n" })),
    wrongShape: '{"schema_version":"ATIF-v2.0"}',
    folders: true,
  });

  test("any valid forest survives the way to ATIF and back, exact tokens included", async () => {
    await fc.assert(
      fc.asyncProperty(forest, async (trajectories) => {
        const documents = await collect(joinAgents(each(trajectories)));
        const text = documents.map((item) => JSON.stringify(item));
        expect(documents.every(isStrictAtif)).toBe(true);
        expect(text.flatMap((line) => readDocument(JSON.parse(line), place))).toStrictEqual(trajectories);
      }),
      { numRuns: tries(20, 200) },
    );
  });

  test.each(Object.entries(foreignDocuments))("a foreign document comes back as it was: %s", async (_name, value) => {
    const trajectories = readDocument(value, place);
    expect(validateForest(trajectories)).toEqual([]);
    const [back, ...more] = await collect(joinAgents(each(trajectories)));
    expect(more).toEqual([]);
    expect(JSON.parse(JSON.stringify(back))).toStrictEqual(value);
  });

  test("a foreign document that was scored here keeps both its own facts and ours", async () => {
    for (const value of Object.values(foreignDocuments)) {
      const read = readDocument(value, place).map((trajectory): Trajectory => ({
        ...trajectory,
        reward: scored(0.25),
        success: true,
      }));
      const [back] = await collect(joinAgents(each(read)));
      expect(isStrictAtif(back as AtifDocument)).toBe(true);
      expect(back?.extra?.["limbeck"]).toMatchObject({ version: 1, trajectory: { success: true } });
      expect(readDocument(JSON.parse(JSON.stringify(back)), place)).toStrictEqual(read);
    }
  });

  test("tokens that go on in one stream become one stream; copied context is not a step", () => {
    const agent = (id: number, prompt: number[], completion: number[], more: object = {}): object => ({
      step_id: id,
      source: "agent",
      message: `m${id}`,
      metrics: { prompt_token_ids: prompt, completion_token_ids: completion, logprobs: completion.map(() => -0.5) },
      ...more,
    });
    const value = document([
      hello,
      agent(2, [9], [9], { is_copied_context: true }),
      agent(3, [1, 2], [3]),
      agent(4, [1, 2, 3, 4], [5, 6]),
      agent(5, [7], [8]),
    ]);
    const [trajectory] = readDocument(value, place);
    expect(
      trajectory?.streams.map((stream) => [[...stream.ids], [...stream.mask], [...(stream.logprobs ?? [])]]),
    ).toEqual([
      [
        [1, 2, 3, 4, 5, 6],
        [0, 0, 1, 0, 1, 1],
        [0, 0, -0.5, 0, -0.5, -0.5],
      ],
      [
        [7, 8],
        [0, 1],
        [0, -0.5],
      ],
    ]);
    expect(trajectory?.steps.map((step) => step.span)).toEqual([
      { stream: 0, start: 2, end: 3 },
      { stream: 0, start: 4, end: 6 },
      { stream: 1, start: 1, end: 2 },
    ]);
    expect(trajectory?.steps[0]?.messages?.map((message) => message.role)).toEqual(["user", "assistant"]);
  });

  test("arguments that are no object stay raw text, in a document that keeps to the rules", () => {
    const call = { tool_call_id: "c", function_name: "f", arguments: '{"x": ' };
    const [trajectory] = readDocument(
      document([{ step_id: 1, source: "agent", message: "", tool_calls: [call] }]),
      place,
    );
    expect(trajectory?.steps[0]?.reply?.toolCalls).toEqual([{ id: "c", name: "f", arguments: '{"x": ' }]);
    const back = toDocument(trajectory as Trajectory);
    expect(isStrictAtif(back)).toBe(true);
    expect(readDocument(JSON.parse(JSON.stringify(back)), place)).toStrictEqual([trajectory]);
  });

  test.each([
    ["a gap in step_id", document([hello, { ...hello, step_id: 3 }]), "step_id 3 stands where 2 belongs"],
    [
      "a dangling source_call_id",
      document([{ step_id: 1, source: "agent", message: "", observation: { results: [{ source_call_id: "x" }] } }]),
      'source_call_id "x" names no tool call of the step',
    ],
    [
      "log-probabilities of another length",
      document([
        { step_id: 1, source: "agent", message: "", metrics: { completion_token_ids: [1, 2], logprobs: [0] } },
      ]),
      "1 logprobs for 2 completion_token_ids",
    ],
    ["an unknown field", document([{ ...hello, reward: 1 }]), 'Unrecognized key: "reward"'],
    [
      "an unknown field of a newer version",
      document([hello], { schema_version: "ATIF-v1.9", new: 1 }),
      "version 1.9; fields after ATIF-v1.7 are not known",
    ],
    ["another version", document([hello], { schema_version: "ATIF-v2.0" }), "known are ATIF-v1.0 to ATIF-v1.7"],
    ["no steps", document([]), "steps"],
    ["a user step with tool calls", document([{ ...hello, tool_calls: [] }]), "only agent steps may have"],
    [
      "our own part of an unknown version",
      document([hello], { extra: { limbeck: { version: 9 } } }),
      "extra.limbeck has version 9; known is 1",
    ],
    [
      "our own part with nonsense",
      document([hello], { extra: { limbeck: { version: 1, trajectory: { ending: "maybe" } } } }),
      "is not a trajectory",
    ],
  ])("%s is refused", (_what, value, message) => {
    expect(() => readDocument(value, place)).toThrow(message);
    expect(() => readDocument(value, place)).toThrow('"a.json", line 1');
  });

  test("the example in the docs is read as the docs say", async () => {
    const page = await readFile(new URL("../../../../../docs/lookup/formats.md", import.meta.url), "utf8");
    const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    const [trajectory] = readDocument(JSON.parse(example), place);
    expect(trajectory).toMatchObject({
      id: "e-7",
      reward: scored(1),
      success: true,
      group: "g-1",
      policy: { version: 3 },
    });
    expect(trajectory?.steps).toEqual([
      {
        index: 0,
        observation: "You are in a kitchen.",
        stateKey: "kitchen",
        action: "go to fridge 1",
        valid: true,
        reward: scored(0),
      },
    ]);
  });

  test("versions 1.0 to 1.8 are read when their fields are known", () => {
    for (let minor = 0; minor <= 8; minor += 1) {
      const value = document([hello], { schema_version: `ATIF-v1.${minor}` });
      const [trajectory] = readDocument(value, place);
      expect(toDocument(trajectory as Trajectory)).toEqual(value);
    }
  });
});

describe("atif files", () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "limbeck-atif-"));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const ids = async (path: string, options: ReadOptions = {}): Promise<string[]> =>
    (await collect(atif.read(path, options))).map((trajectory) => trajectory.id);
  const named = (id: string): object => document([hello], { trajectory_id: id });

  test("one indented document, an array of documents, and a folder of runs", async () => {
    await writeFile(join(folder, "one.json"), JSON.stringify(named("a"), null, 2));
    await writeFile(join(folder, "array.json"), JSON.stringify([named("b"), named("c")], null, 1));
    expect(await ids(join(folder, "one.json"))).toEqual(["a"]);
    expect(await ids(join(folder, "array.json"))).toEqual(["b", "c"]);
    for (const trial of ["t1", "t2"]) {
      await mkdir(join(folder, "job", trial, "agent"), { recursive: true });
      await writeFile(join(folder, "job", trial, "result.json"), '{"reward":1}');
      await writeFile(join(folder, "job", trial, "agent", "trajectory.json"), JSON.stringify(named(trial)));
    }
    expect(await ids(join(folder, "job"))).toEqual(["t1", "t2"]);
  });

  test("an array that is cut off gives what stood before the cut when lenient", async () => {
    const path = join(folder, "cut.json");
    await writeFile(path, JSON.stringify([named("a"), named("b")]).slice(0, -20));
    await expect(ids(path)).rejects.toMatchObject({ code: "truncated-file", details: { file: path, line: 1 } });
    const skips: Skip[] = [];
    expect(await ids(path, { lenient: true, onSkip: (skip) => skips.push(skip) })).toEqual(["a"]);
    expect(skips).toMatchObject([{ file: path, code: "truncated-file" }]);
  });

  test("a folder target gets one file per trajectory, and ids never become paths", async () => {
    const target = join(folder, "out/");
    const trajectories = ["../../etc/passwd", "b"].flatMap((id) => readDocument(named(id), place));
    await atif.write(target, each(trajectories), {});
    expect((await readdir(target)).sort()).toEqual(["trajectory-000001--etc-passwd.json", "trajectory-000002-b.json"]);
    expect(await collect(atif.read(target, {}))).toStrictEqual(trajectories);
    await expect(atif.write(target, each(trajectories), {})).rejects.toMatchObject({ code: "target-exists" });
    await atif.write(target, each(trajectories.slice(1)), { overwrite: true });
    expect(await readdir(target)).toEqual(["trajectory-000001-b.json"]);
    await writeFile(join(target, "mine.txt"), "keep");
    await expect(atif.write(target, each([]), { overwrite: true })).rejects.toThrow('holds "mine.txt"');
    expect(await readFile(join(target, "mine.txt"), "utf8")).toBe("keep");
  });
});
