/** A model whose template rewrites what was said before can still play, with a prompt for every step. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { familyFiles } from "../../../../test/support/chat-templates.ts";
import { temporaryFolders } from "../../../../test/support/temporary-folder.ts";
import { tinyConfig } from "../../../../test/support/tiny-model.ts";
import { createModel } from "limbeck-policy/policy/local/open-model";
import { rollout } from "./rollout.ts";

const newFolder = temporaryFolders();

test("prompts that append are refused, prompts that are rebuilt play: every step is a stream of its own", async () => {
  const folder = join(await newFolder(), "model");
  const config = { ...tinyConfig, vocabularySize: 288, contextLength: 2_048 };
  const model = await createModel(config, { seed: 1, tokenizer: familyFiles("mistral"), threads: 1 });
  await model.save(folder, { optimiser: false });
  await model.close();
  const play = { env: "household", policy: folder, tasks: 1, maxSteps: 3, answerTokens: 4, threads: 1 } as const;
  await expect(rollout(play)).rejects.toThrow("writes an earlier answer differently");
  const { trajectories } = await rollout({ ...play, prompts: "rebuilt" });
  expect(new Set(trajectories.map(({ steps, streams }) => `${steps.length} ${streams.length}`))).toEqual(
    new Set(["3 3"]),
  );
});
