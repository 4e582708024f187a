import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { geminiCli } from "./gemini-cli.ts";

describe("gemini-cli", () => {
  const samples = importerContract(geminiCli, { damaged: tries(6, 25), files: "gemini-cli" });

  test("a message that is written again counts once, and a result that stands twice answers once", async () => {
    const [session] = await samples.read();
    expect(session?.steps).toHaveLength(4);
    expect(session?.usage).toEqual({ promptTokens: 4800, completionTokens: 168, cachedTokens: 3200, modelCalls: 4 });
    expect(session?.steps.map(({ messages }) => messages?.map(({ role }) => role))).toEqual([
      ["user", "user"],
      ["tool"],
      ["tool"],
      ["tool"],
    ]);
    expect(session?.task.goal).toMatch(/^The sum is wrong/);
    expect(session?.policy.model).toBe("gemini-2.5-flash");
  });

  const message = (id: string, type: string, content: string): object => ({
    id,
    type,
    content,
    timestamp: "2026-01-01T00:00:00Z",
  });

  test("a rewound prompt is a branch; a document of older versions is read too", async () => {
    const head = { sessionId: "s", projectHash: "h", startTime: "2026-01-01T00:00:00Z" };
    const first = [
      message("1", "user", "Go."),
      message("2", "gemini", "One."),
      message("3", "user", "More."),
      message("4", "gemini", "Two."),
    ];
    const all = await readRecords(geminiCli, [
      head,
      ...first,
      { $rewindTo: "3" },
      message("5", "user", "Otherwise."),
      message("6", "gemini", "Three."),
    ]);
    expect(all.map(({ id, parent, steps }) => [id, parent?.step, steps.map(({ action }) => action)])).toEqual([
      ["s", undefined, ["One.", "Two."]],
      ["s/branch-1", 1, ["Three."]],
    ]);
    const [old] = await readRecords(geminiCli, [{ ...head, messages: first }], "session-1.json");
    expect(old?.steps.map(({ action }) => action)).toEqual(["One.", "Two."]);
  });

  test("a call that the user cancelled was refused", async () => {
    const call = {
      id: "c",
      name: "run_shell_command",
      args: { command: "rm -r /" },
      status: "cancelled",
      result: [
        {
          functionResponse: {
            id: "c",
            name: "run_shell_command",
            response: { error: "[Operation Cancelled] User did not allow tool call" },
          },
        },
      ],
    };
    const [session] = await readRecords(geminiCli, [
      message("1", "user", "Go."),
      { ...message("2", "gemini", ""), toolCalls: [call] },
      message("3", "gemini", "As you wish."),
    ]);
    expect(session?.steps[1]?.messages?.[0]).toMatchObject({ toolCallId: "c", extra: { result: { refused: true } } });
  });
});
