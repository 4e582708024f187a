import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { pi } from "./pi.ts";

describe("pi", () => {
  const samples = importerContract(pi, { damaged: tries(6, 25), files: "pi" });

  test("tokens and costs as pi counted them: 400 fresh and 800 cached read, $0.000564 for each of four replies", async () => {
    const [session] = await samples.read();
    expect(session?.usage).toMatchObject({
      promptTokens: 4800,
      completionTokens: 168,
      cachedTokens: 3200,
      modelCalls: 4,
    });
    expect(session?.usage?.costUsd).toBeCloseTo(0.002256, 9);
    expect(session?.steps[1]?.messages?.[0]).toMatchObject({ name: "bash", extra: { result: { error: true } } });
  });

  const entry = (id: string, parentId: string | null, message: object): object => ({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:00Z",
    message,
  });
  const user = (text: string): object => ({ role: "user", content: text });
  const reply = (text: string): object => ({
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Hm." },
      { type: "text", text },
    ],
    model: "m",
  });

  test("the tree's branches, with the summary of what was left; a compaction is marked", async () => {
    const all = await readRecords(pi, [
      { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00Z", cwd: "/p" },
      entry("1", null, user("Go.")),
      entry("2", "1", reply("One.")),
      entry("3", "2", user("More.")),
      entry("4", "3", reply("Two.")),
      {
        type: "branch_summary",
        id: "5",
        parentId: "2",
        timestamp: "2026-01-01T00:00:00Z",
        fromId: "4",
        summary: "Tried more.",
      },
      entry("6", "5", user("Otherwise.")),
      entry("7", "6", reply("Three.")),
      { type: "compaction", id: "8", parentId: "7", summary: "All so far.", firstKeptEntryId: "6", tokensBefore: 50 },
      entry("9", "8", user("And?")),
      entry("10", "9", reply("Four.")),
    ]);
    expect(all.map(({ id, parent, steps }) => [id, parent?.step, steps.map(({ action }) => action)])).toEqual([
      ["s", undefined, ["One.", "Two."]],
      ["s/branch-1", 1, ["Three.", "Four."]],
    ]);
    expect(all[1]?.steps[0]?.observation).toBe("Tried more.\nOtherwise.");
    expect(all[1]?.info).toMatchObject({ session: { compactedBefore: [2] } });
    expect(all[1]?.steps[1]?.observation).toBe("All so far.\nAnd?");
  });
});
