import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { copilotChat } from "./copilot-chat.ts";

const rounds = {
  toolCallRounds: [
    {
      id: "r1",
      response: "I run the test.",
      thinking: { id: "t", text: "Look at the test first." },
      toolCalls: [{ id: "c1", name: "run_in_terminal", arguments: '{"command":"node test.js"}' }],
    },
    {
      id: "r2",
      response: "",
      toolCalls: [{ id: "c2", name: "run_in_terminal", arguments: '{"command":"echo @SECRET@"}' }],
    },
    { id: "r3", response: "It adds now.", toolCalls: [] },
  ],
  toolCallResults: {
    c1: { $mid: 20, content: [{ $mid: 21, value: "FAIL: sum is wrong" }] },
    c2: { content: [{ value: "ERROR while calling tool: the user cancelled" }] },
  },
};
const request = {
  requestId: "request_1",
  timestamp: 1_767_225_600_000,
  modelId: "copilot/gpt-5",
  message: {
    text: "The sum is wrong, mail @EMAIL@",
    parts: [{ kind: "text", text: "The sum is wrong, mail @EMAIL@" }],
  },
  variableData: { variables: [{ name: "file:sum.js", id: "f" }] },
  response: [
    { value: "I run the test." },
    { kind: "toolInvocationSerialized", toolCallId: "c1", toolId: "run_in_terminal", isConfirmed: { type: 4 } },
    { value: "It adds now." },
  ],
  result: { timings: { totalElapsed: 900 }, metadata: { ...rounds, modelMessageId: "m of this" } },
  vote: 1,
};
const session = {
  version: 3,
  sessionId: "s-1",
  creationDate: 1_767_225_600_000,
  customTitle: "The wrong sum",
  responderUsername: "GitHub Copilot",
  requests: [request],
};

describe("copilot-chat", () => {
  const samples = importerContract(copilotChat, {
    damaged: tries(6, 25),
    files: {
      "session.json": JSON.stringify(session),
      "log.jsonl": [
        { kind: 0, v: { ...session, sessionId: "s-2", requests: [] } },
        { kind: 2, k: ["requests"], v: [{ ...request, response: [] }] },
        { kind: 2, k: ["requests", 0, "response"], v: [{ value: "A longer answer" }] },
        { kind: 1, k: ["customTitle"], v: "Another title here" },
      ]
        .map((entry) => JSON.stringify(entry))
        .join("\n"),
    },
    // The log sets the title anew.
    repeats: (record) => JSON.stringify(record).includes('"kind":0'),
  });

  test("rounds are steps; a vote is a reward of the step it is for; a cancelled call was refused", async () => {
    const [log, document] = await samples.read();
    expect(document).toMatchObject({
      id: "s-1",
      policy: { model: "copilot/gpt-5" },
      rewards: [{ name: "vote", step: 2, score: { value: 1 } }],
    });
    expect(document?.steps.map(({ action }) => action)).toEqual([
      'I run the test.\nrun_in_terminal({"command":"node test.js"})',
      'run_in_terminal({"command":"echo [redacted key]"})',
      "It adds now.",
    ]);
    expect(document?.steps[2]?.messages?.[0]?.extra?.["result"]).toEqual({ error: true, refused: true });
    expect(log).toMatchObject({ id: "s-2", info: { session: { title: "Another title here" } } });
    expect(log?.steps.map(({ action }) => action)).toEqual(document?.steps.map(({ action }) => action));
  });

  test("without rounds, what the panel showed; a change that leads nowhere is a fault", async () => {
    const shown = [
      { value: "Looking. " },
      {
        kind: "toolInvocationSerialized",
        toolCallId: "c",
        toolId: "read_file",
        isComplete: true,
        pastTenseMessage: { value: "Read sum.js" },
      },
    ];
    const [plain] = await readRecords(copilotChat, [
      { ...session, requests: [{ message: { text: "Look." }, response: shown }] },
    ]);
    expect(plain?.steps[0]?.action).toBe("Looking. \nread_file({})");
    expect(plain?.closing?.observation).toBe("Read sum.js");
    const [longer] = await readRecords(copilotChat, [
      { ...session, requests: [{ message: { text: "Look." }, response: [...shown, { value: "It adds." }] }] },
    ]);
    expect(longer?.steps.map(({ observation, action }) => [observation, action])).toEqual([
      ["Look.", "Looking. \nread_file({})"],
      ["Read sum.js", "It adds."],
    ]);
    const log = [
      { kind: 0, v: { ...session, requests: [] } },
      { kind: 1, k: ["__proto__", "polluted"], v: 1 },
    ];
    await expect(readRecords(copilotChat, log)).rejects.toThrow("a change leads nowhere");
    expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
  });
});
