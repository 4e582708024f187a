import { expect, test } from "vitest";
import { bundledModel } from "../bundled-model.ts";
import { openModel } from "../open-model.ts";

test("a draft model with other words is refused, by name and with the way out", async () => {
  const options = { draft: "model", draftModel: bundledModel("tools") } as const;
  await expect(openModel(bundledModel("household"), options)).rejects.toMatchObject({
    code: "bad-tokenizer",
    message: expect.stringMatching(
      /tools" cannot guess for "household-model": their tokenizers differ\. Choose a smaller model/,
    ),
  });
});

test.each([
  [{ draft: "model" }, /needs draftModel/],
  [{ draft: "ngram", draftTree: "delayed" }, /grows from a draft model/],
  [{ draft: "ngram", draftNodes: 64 }, /draftNodes is 64; allowed: a whole number from 1 to 63/],
] as const)("options that do not go together are refused: %o", async (options, why) => {
  await expect(openModel(bundledModel("household"), options)).rejects.toMatchObject({
    code: "bad-option",
    message: expect.stringMatching(why),
  });
});
