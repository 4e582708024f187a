/** End to end, one page of the studio in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

describe.skipIf(browserPath === undefined)(`the studio (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  });
  afterAll(() => bench.close());

  test("a run opens from the list, with its success and its curve, and the page does nothing that it should not", async () => {
    const { page, faults } = await bench.open("");
    await page.getByRole("link", { name: "trained", exact: true }).click();
    await page.getByRole("heading", { name: "trained", level: 1 }).waitFor();
    await page.locator("svg.plot").first().waitFor();
    // 6 of 8 held-out tasks.
    expect(await page.locator("main").textContent()).toContain("0.750");
    expect(faults).toEqual([]);
  });
});
