import { expect, test } from "vitest";
import { tryProvider } from "../../../../../test/support/provider-bench.ts";

test("every token has the head's word on it, at its own place in the context", async () => {
  const { batch } = await tryProvider("value-head", { credit: "gae", size: 1, script: () => "go east" });
  batch.rows.forEach(({ values, mask }, at) => {
    const start = batch.steps[at]?.span?.start as number;
    expect(values).toHaveLength(mask.length);
    // The scorer gives a tenth of the position.
    [...(values ?? [])].forEach((value, token) => expect(value).toBeCloseTo((start + token) / 10, 5));
  });
});
