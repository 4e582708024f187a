import { describe, expect, test } from "vitest";
import { importerContract } from "../../../../../test/support/importer-contract.ts";
import { tries } from "../../../../../test/support/thorough.ts";
import { readRecords } from "../../../../../test/support/read-records.ts";
import { openaiBatch } from "./openai-batch.ts";

const ask = (custom_id: string, body: object): string =>
  JSON.stringify({ custom_id, method: "POST", url: "/v1/chat/completions", body: { model: "gpt-5-mini", ...body } });
const answer = (custom_id: string, body: object): string =>
  JSON.stringify({ id: "b", custom_id, response: { status_code: 200, request_id: "q", body }, error: null });
const files = {
  "input.jsonl": [
    ask("one", { messages: [{ role: "user", content: "Is it warm? @EMAIL@ @SECRET@" }], temperature: 0 }),
    ask("two", { messages: [{ role: "user", content: "And in Bergen then?" }] }),
  ].join("\n"),
  "output.jsonl": [
    answer("one", {
      model: "gpt-5-mini-2026",
      choices: [{ message: { role: "assistant", content: "It is cold." }, finish_reason: "stop" }],
      usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 4 } },
    }),
    JSON.stringify({
      custom_id: "two",
      response: null,
      error: { code: "batch_expired", message: "This request could not be executed in time." },
    }),
  ].join("\n"),
};

describe("openai-batch", () => {
  const samples = importerContract(openaiBatch, { damaged: tries(6, 25), files });

  test("requests and results are paired by their id; a failure says why", async () => {
    const [one, two] = await samples.read();
    expect(one).toMatchObject({
      id: "one",
      policy: { model: "gpt-5-mini-2026" },
      usage: { promptTokens: 9, completionTokens: 3, cachedTokens: 4 },
      steps: [{ action: "It is cold." }],
    });
    expect(two).toMatchObject({ id: "two", ending: "failed", failure: { code: "batch_expired" }, steps: [] });
  });

  test("the responses interface, and a result without its request", async () => {
    const output = [
      { type: "reasoning", summary: [{ text: "Hm." }] },
      { type: "function_call", call_id: "c", name: "weather", arguments: '{"city":"Oslo"}' },
    ];
    const [alone] = await readRecords(openaiBatch, [
      {
        custom_id: "x",
        response: { status_code: 200, body: { output, usage: { input_tokens: 5, output_tokens: 2 } } },
      },
    ]);
    expect(alone).toMatchObject({
      steps: [{ action: 'weather({"city":"Oslo"})', reply: { reasoning: "Hm." }, usage: { promptTokens: 5 } }],
      info: { "openai-batch": { missing: "request" } },
    });
  });
});
