import { expect, test } from "vitest";
import { startScriptedProvider } from "../../../examples/scripted-provider.ts";
import { hold } from "../../../test/support/held-recorder.ts";

test("a bare client is recorded through its fetch, and other requests pass", async () => {
  const provider = await startScriptedProvider();
  const { recorder, calls } = hold();
  const body = JSON.stringify({ model: "scripted", stream: true, messages: [{ role: "user", content: "hi" }] });
  const response = await recorder.fetch(`${provider.url}/chat/completions`, { method: "POST", body });
  const text = await response.text();
  expect(text).toContain("[DONE]");
  await (await recorder.fetch(`${provider.url}/embeddings`, { method: "POST", body: "{}" })).text();
  const lines = await calls();
  expect(lines).toHaveLength(1);
  expect(lines[0]?.reply?.toolCalls?.map((call) => call.arguments)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
  await provider.close();
});
