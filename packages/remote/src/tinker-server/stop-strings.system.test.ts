import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { openModel } from "limbeck-policy/policy/local/open-model";
import { startTrainer } from "./server.ts";

const newFolder = temporaryFolders();

test("a trainer ends a sample at a text, and says otherwise what it would have said", async () => {
  const root = await newFolder();
  const model = join(root, "tiny");
  await writeTinyModel(model);
  const opened = await openModel(model, { threads: 1 });
  const decode = (ids: readonly number[]): string => opened.tokenizer?.decode(ids) ?? "";
  const trainer = await startTrainer({ model, checkpoints: join(root, "kept"), local: { threads: 1 } });
  const sample = async (stop: unknown): Promise<{ tokens: number[]; stop_reason: string }> => {
    const body = {
      base_model: trainer.baseModel,
      prompt: { chunks: [{ tokens: [5, 6, 7] }] },
      sampling_params: { max_tokens: 12, seed: 3, ...(stop === undefined ? {} : { stop }) },
    };
    const headers = { "content-type": "application/json", "x-limbeck-wait": "30" };
    const url = `${trainer.url}/api/v1/asample`;
    const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
    expect(answer.status).toBe(200);
    const { limbeck } = (await answer.json()) as { limbeck: { result: { sequences: [never] } } };
    return limbeck.result.sequences[0];
  };
  try {
    const free = await sample(undefined);
    expect(free.stop_reason).toBe("length");
    const wanted = decode(free.tokens.slice(0, 5));
    const stopped = await sample([wanted.slice(-2)]);
    expect(stopped.stop_reason).toBe("stop");
    expect(stopped.tokens).toEqual(free.tokens.slice(0, stopped.tokens.length));
    expect(decode(stopped.tokens)).toContain(wanted.slice(-2));
    // The SDK's type allows a bare text.
    expect(await sample(wanted.slice(-2))).toEqual(stopped);
  } finally {
    await trainer.close();
    await opened.close();
  }
});
