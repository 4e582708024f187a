import { expect, test } from "vitest";
import { played, unevenness } from "../../../../test/support/dealt-tasks.ts";

test("of 1 to 100 tasks, over 1 to 300 updates, each is played as often as any other, give or take one", async () => {
  for (let size = 1; size <= 100; size += 1) {
    const updates = await played(size, 8, 300);
    expect([size, unevenness(size, updates)]).toEqual([size, expect.toSatisfy((most: number) => most <= 1)]);
  }
});
