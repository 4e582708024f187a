import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startScriptedProvider } from "../../../examples/scripted-provider.ts";
import type { CallLine, RecordLine } from "./lines.ts";
import { createRecorder, type Recorder, type RecorderOptions } from "./recorder.ts";

interface Held {
  readonly recorder: Recorder;
  readonly errors: unknown[];
  readonly lines: () => Promise<RecordLine[]>;
  readonly calls: () => Promise<CallLine[]>;
}
function hold(options: RecorderOptions = {}): Held {
  const written: RecordLine[] = [];
  const errors: unknown[] = [];
  const sink = {
    write: (lines: readonly string[]): Promise<void> => {
      written.push(...lines.map((line) => JSON.parse(line) as RecordLine));
      return Promise.resolve();
    },
  };
  const recorder = createRecorder({ to: sink, onError: (error) => errors.push(error), ...options });
  const lines = async (): Promise<RecordLine[]> => {
    await recorder.flush();
    return written;
  };
  const calls = async (): Promise<CallLine[]> => (await lines()).filter((line) => line.limbeck === "call");
  return { recorder, errors, lines, calls };
}

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

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "limbeck-recorder-"));
});
afterEach(async () => {
  await chmod(folder, 0o755);
  await rm(folder, { recursive: true, force: true });
});
