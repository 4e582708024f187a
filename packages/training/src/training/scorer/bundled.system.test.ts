import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundledScorers, openScorer, scorerFolder } from "./open-scorer.ts";

test.each([...bundledScorers])("the scorer of %s opens by its name, on its own model, and is small", async (name) => {
  const card = JSON.parse(await readFile(join(scorerFolder(name), "scorer.json"), "utf8")) as { readonly base: string };
  expect(card.base).toBe(`bundled:${name}`);
  const { size } = await stat(join(scorerFolder(name), "adapter_model.safetensors"));
  // Four layers take 163 kB, the six of archive 244.
  expect(size).toBeLessThan(250_000);
  const scorer = await openScorer(name, { threads: 1 });
  try {
    const [chance] = await scorer.scoreTokens([
      scorer.encode("<|user|>Do it.<|agent|>done<|end|><|user|>And?<|agent|>"),
    ]);
    expect(chance).toBeGreaterThan(0);
    expect(chance).toBeLessThan(1);
  } finally {
    await scorer.close();
  }
});
