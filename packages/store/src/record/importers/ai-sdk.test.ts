import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { aiSdk } from "./ai-sdk.ts";

const ui = [
  { id: "u1", role: "user", parts: [{ type: "text", text: "Is it warm in Oslo? @EMAIL@" }] },
  {
    id: "a1",
    role: "assistant",
    metadata: { model: "gpt-5", usage: { inputTokens: 9, outputTokens: 4 } },
    parts: [
      { type: "step-start" },
      { type: "reasoning", text: "Ask the tool." },
      {
        type: "tool-weather",
        toolCallId: "c1",
        state: "output-available",
        input: { city: "Oslo", key: "@SECRET@" },
        output: { degrees: 4, sky: "grey and low" },
      },
      {
        type: "dynamic-tool",
        toolName: "mail",
        toolCallId: "c2",
        state: "output-denied",
        input: {},
        approval: { id: "p", approved: false, reason: "not now please" },
      },
      { type: "step-start" },
      { type: "text", text: "It is cold there." },
      { type: "data-chart", data: { label: "a small chart" } },
    ],
  },
];
const model = {
  id: "chat-2",
  title: "A second chat",
  messages: [
    { role: "system", content: "Be very brief." },
    { role: "user", content: [{ type: "text", text: "And in Bergen then?" }] },
    {
      role: "assistant",
      content: [{ type: "tool-call", toolCallId: "c", toolName: "weather", input: { city: "Bergen" } }],
    },
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c",
          toolName: "weather",
          output: { type: "error-text", value: "no such city" },
        },
      ],
    },
    { role: "assistant", content: "I do not know." },
  ],
};

describe("ai-sdk", () => {
  const samples = importerContract(aiSdk, {
    damaged: tries(6, 25),
    files: { "chat.json": JSON.stringify(ui), "chats.jsonl": JSON.stringify(model) },
  });

  test("a message of several steps is several steps; denied calls were refused; failed ones are errors", async () => {
    const [page, chat] = await samples.read();
    expect(page?.steps.map(({ action, usage }) => [action, usage])).toEqual([
      ['weather({"city":"Oslo","key":"[redacted key]"})\nmail({})', undefined],
      ["It is cold there.", { promptTokens: 9, completionTokens: 4 }],
    ]);
    expect(page?.steps[1]?.messages?.map(({ extra }) => extra?.["result"])).toEqual([undefined, { refused: true }]);
    expect(chat).toMatchObject({
      id: "chat-2",
      info: { session: { title: "A second chat" } },
      steps: [
        { action: 'weather({"city":"Bergen"})' },
        { observation: "no such city", messages: [{ extra: { result: { error: true } } }] },
      ],
    });
  });

  test("words after a call are the next step, also without a mark", async () => {
    const parts = [
      {
        type: "tool-invocation",
        toolInvocation: { toolCallId: "c", toolName: "f", args: {}, state: "result", result: 1 },
      },
      { type: "text", text: "Done." },
    ];
    const [old] = await readRecords(aiSdk, [
      { role: "user", parts: [{ type: "text", text: "Go." }] },
      { role: "assistant", parts },
    ]);
    expect(old?.steps.map(({ action, observation }) => [observation, action])).toEqual([
      ["Go.", "f({})"],
      ["1", "Done."],
    ]);
  });
});
