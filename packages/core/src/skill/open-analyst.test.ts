import { expect, test } from "vitest";
import { openAnalyst } from "./open-analyst.ts";

test("an analyst that needs a chat model says so where there is none, and what does without", async () => {
  const opening = openAnalyst("model", {});
  await expect(opening).rejects.toThrow("LIMBECK_CHAT_BASE_URL is missing");
  await expect(opening).rejects.toThrow("--set analyst=statistics");
  expect((await openAnalyst("statistics", {})).id).toBe("statistics");
});
