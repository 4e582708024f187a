import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { anthropicBatch } from "./anthropic-batch.ts";

const lines = (...records: readonly object[]): string => records.map((record) => JSON.stringify(record)).join("\n");
const files = {
  "requests.jsonl": lines(
    {
      custom_id: "one",
      params: {
        model: "claude-x",
        max_tokens: 9,
        system: "Be very brief.",
        messages: [{ role: "user", content: "Is it warm? @EMAIL@ @SECRET@" }],
        tools: [{ name: "weather", input_schema: { type: "object" } }],
      },
    },
    { custom_id: "two", params: { model: "claude-x", messages: [{ role: "user", content: "And in Bergen then?" }] } },
  ),
  "results.jsonl": lines(
    {
      custom_id: "two",
      result: {
        type: "errored",
        error: { type: "error", error: { type: "invalid_request_error", message: "max_tokens is missing" } },
      },
    },
    {
      custom_id: "one",
      result: {
        type: "succeeded",
        message: {
          id: "m",
          type: "message",
          role: "assistant",
          model: "claude-x-1",
          content: [
            { type: "text", text: "I look it up." },
            { type: "tool_use", id: "c", name: "weather", input: { city: "Oslo" } },
          ],
          stop_reason: "tool_use",
          usage: { input_tokens: 5, cache_read_input_tokens: 4, output_tokens: 3 },
        },
      },
    },
  ),
};

describe("anthropic-batch", () => {
  const samples = importerContract(anthropicBatch, { damaged: tries(6, 25), files });

  test("results come in any order; cached tokens are part of the prompt; an error is a failure", async () => {
    const [two, one] = await samples.read();
    expect(one).toMatchObject({
      id: "one",
      ending: "truncated",
      policy: { model: "claude-x-1" },
      usage: { promptTokens: 9, completionTokens: 3, cachedTokens: 4 },
      steps: [{ action: 'I look it up.\nweather({"city":"Oslo"})', messages: [{ role: "system" }, { role: "user" }] }],
      tools: [{ type: "function", function: { name: "weather" } }],
    });
    expect(two).toMatchObject({ id: "two", ending: "failed", failure: { code: "invalid_request_error" } });
  });
});
