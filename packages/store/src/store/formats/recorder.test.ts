import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import type { ReadOptions, Skip } from "./source.ts";
import { recorder } from "./recorder.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-recorder-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const call = (trajectory: string, number: number, more: object = {}): string =>
  JSON.stringify({
    limbeck: "call",
    v: 1,
    trajectory,
    call: `${trajectory}-${number}`,
    startedAt: `2026-01-01T00:00:0${number}.000Z`,
    durationMs: 500,
    messages: [{ role: "user", content: `question ${number}` }],
    reply: { role: "assistant", content: `answer ${number}` },
    ...more,
  });
const end = (trajectory: string, more: object = {}): string =>
  JSON.stringify({ limbeck: "end", v: 1, trajectory, ...more });

async function read(
  files: Readonly<Record<string, readonly string[]>>,
  options: ReadOptions = {},
): Promise<Trajectory[]> {
  for (const [name, lines] of Object.entries(files))
    await writeFile(join(folder, name), lines.map((line) => `${line}\n`).join(""));
  const all: Trajectory[] = [];
  for await (const trajectory of recorder.read(folder, options)) all.push(trajectory);
  return all;
}

test("lines of several agents, out of order, twice and over two files become one trajectory each", async () => {
  const [a, b, ...more] = await read({
    "1.calls.jsonl": [call("a", 2, { after: "a-1" }), call("b", 1), call("a", 1)],
    "2.calls.jsonl": [
      call("a", 1),
      end("a"),
      JSON.stringify({ limbeck: "feedback", v: 1, trajectory: "a", success: true, score: 0.5 }),
    ],
  });
  expect(more).toEqual([]);
  expect(a?.steps.map((step) => [step.observation, step.action])).toEqual([
    ["question 1", "answer 1"],
    ["question 2", "answer 2"],
  ]);
  // The second call began a second after the first and took half a second.
  expect(a).toMatchObject({
    id: "a",
    success: true,
    reward: { kind: "scored", value: 0.5 },
    timing: { durationMs: 1500, policyMs: 1000 },
  });
  expect(b).toMatchObject({ id: "b", ending: "terminated", success: null });
});

test("a call that failed is no step; what the last one says decides the ending", async () => {
  const error = { code: "http-500", message: "overloaded" };
  const tools = [{ id: "1", name: "look", arguments: "{broken" }];
  const found = await read({
    "all.calls.jsonl": [
      call("retried", 1, { reply: undefined, error }),
      call("retried", 2),
      call("failed", 1),
      call("failed", 2, { reply: undefined, error }),
      call("cut", 1, { reply: { role: "assistant", content: "", toolCalls: tools } }),
      call("half", 1, { partial: true, error: { code: "broken-off", message: "x" } }),
      call("said", 1),
      end("said", { ending: "failed", error: { code: "error", message: "no city" } }),
    ],
  });
  expect(found.map((item) => [item.id, item.steps.length, item.ending, item.failure?.code])).toEqual([
    ["retried", 1, "terminated", undefined],
    ["failed", 1, "failed", "http-500"],
    ["cut", 1, "truncated", undefined],
    ["half", 1, "failed", "broken-off"],
    ["said", 1, "failed", "error"],
  ]);
  expect(found[0]?.info).toMatchObject({ recorder: { calls: 2, errors: [{ step: 0, code: "http-500" }] } });
  expect(found[1]?.closing?.observation).toBe("question 2");
  expect(found[2]?.steps[0]?.action).toBe("look({broken)");
  expect(found[3]?.steps[0]?.info).toMatchObject({ recorder: { partial: true } });
});

test("faults name file and line; lenient skips them; feedback without calls is a notice", async () => {
  const file = join(folder, "bad.calls.jsonl");
  for (const [bad, code] of [
    ['{"limbeck":"call","v":1}', "bad-recording"],
    ['{"limbeck":"call","v":2}', "newer-format"],
    ["{half", "bad-json"],
  ] as const) {
    await expect(read({ "bad.calls.jsonl": [call("a", 1), bad] })).rejects.toMatchObject({
      code,
      details: { file, line: 2 },
    });
    const skips: Skip[] = [];
    const kept = await read(
      { "bad.calls.jsonl": [call("a", 1), bad] },
      { lenient: true, onSkip: (skip) => skips.push(skip) },
    );
    expect([kept.length, skips.length]).toEqual([1, 1]);
  }
  const notices: Skip[] = [];
  await read({ "bad.calls.jsonl": [end("ghost")] }, { onNotice: (notice) => notices.push(notice) });
  expect(notices).toMatchObject([{ code: "no-calls" }]);
  expect(recorder.write).toBeUndefined();
});
