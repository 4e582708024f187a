import { expect, test } from "vitest";
import { bundledModel } from "../bundled-model.ts";
import { openModel } from "../open-model.ts";

test("heads that are not there are asked for by name", async () => {
  await expect(openModel(bundledModel("household"), { draft: "heads" })).rejects.toMatchObject({
    code: "bad-option",
    message: expect.stringMatching(/train them with limbeck draft-heads/),
  });
});
