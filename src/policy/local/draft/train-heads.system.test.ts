import { afterAll, beforeAll, expect, test } from "vitest";
import { closePrograms, headsAtWork, tinyHeads } from "../../../../test/support/draft-samplers.ts";
import { bundledModel } from "../bundled-model.ts";
import { openModel } from "../open-model.ts";
import type { DraftingOptions } from "./drafting.ts";
import type { TrainedHeads } from "./train-heads.ts";

let trained: TrainedHeads;
let ways: Record<string, DraftingOptions> = {};
beforeAll(async () => {
  trained = await tinyHeads();
  const heads = { draft: "heads", draftHeads: headsAtWork(trained) } as const;
  ways = {
    chain: heads,
    delayed: { ...heads, draftTree: "delayed" },
    graft: { ...heads, draftTree: "graft" },
    auto: { ...heads, draft: "auto" },
  };
});
afterAll(closePrograms);

test("heads that are not there are asked for by name", async () => {
  await expect(openModel(bundledModel("household"), { draft: "heads" })).rejects.toMatchObject({
    code: "bad-option",
    message: expect.stringMatching(/train them with limbeck draft-heads/),
  });
});
