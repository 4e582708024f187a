import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { mastra } from "./mastra.ts";

const row = (id: string, role: string, second: number, content: object): object => ({
  id,
  thread_id: "th",
  resourceId: "ann",
  role,
  type: "v2",
  createdAt: `2026-01-01T00:00:0${second}.000Z`,
  content: JSON.stringify({ format: 2, ...content }),
});
const files = {
  "messages.jsonl": [
    row("m2", "assistant", 2, {
      parts: [
        {
          type: "tool-invocation",
          toolInvocation: {
            state: "result",
            toolCallId: "c",
            toolName: "weather",
            args: { city: "Oslo", key: "@SECRET@" },
            result: "4 degrees there",
          },
        },
        { type: "text", text: "It is cold there." },
      ],
    }),
    row("m1", "user", 1, { parts: [{ type: "text", text: "Is it warm in Oslo? @EMAIL@" }] }),
  ]
    .map((one) => JSON.stringify(one))
    .join("\n"),
  "thread.json": JSON.stringify({
    thread: { id: "th-2", title: "The other thread" },
    messages: [
      { id: "x", role: "user", threadId: "th-2", createdAt: "2026-01-02T00:00:00Z", content: "Hello there, you." },
      {
        id: "y",
        role: "assistant",
        threadId: "th-2",
        createdAt: "2026-01-02T00:00:01Z",
        content: { format: 2, parts: [{ type: "text", text: "Hello to you." }] },
      },
    ],
  }),
};

describe("mastra", () => {
  const samples = importerContract(mastra, { damaged: tries(6, 25), files });

  test("rows in any order are a thread in the order of time; a recalled thread keeps its title", async () => {
    const [rows, thread] = await samples.read();
    expect(rows).toMatchObject({ id: "th", timing: { startedAt: "2026-01-01T00:00:01.000Z" } });
    expect(rows?.steps.map(({ observation, action }) => [observation, action])).toEqual([
      ["Is it warm in Oslo? [redacted email]", 'weather({"city":"Oslo","key":"[redacted key]"})'],
      ["4 degrees there", "It is cold there."],
    ]);
    expect(thread).toMatchObject({
      id: "th-2",
      info: { session: { title: "The other thread" } },
      steps: [{ action: "Hello to you." }],
    });
  });
});
