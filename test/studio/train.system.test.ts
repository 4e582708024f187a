/** A real training, started, watched and stopped in a real browser. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { COMMAND_LINE } from "../support/command-line.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

/** The command line itself, in a process of its own. */
const TRAIN = [COMMAND_LINE];
/** One task, two episodes, two held-out tasks: an update is over in seconds; all of them are not. */
const SMALL = "updates=200&tasks=1&episodes=2&heldOut=2";
const SLOW = { timeout: 150_000 };

describe.skipIf(browserPath === undefined)(`training in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
  }, 180_000);
  afterAll(() => bench.close());

  test("a training is started from the page, its curve grows without a reload, and it is stopped", async () => {
    const studio = await bench.serve({ train: TRAIN, write: true });
    const { page, faults } = await bench.open(`#/train?recipe=grpo&${SMALL}`, { studio });
    await page.getByRole("button", { name: "Start" }).click();
    const card = page.locator(".training");
    await card.getByText("starting").waitFor();
    expect(await card.textContent()).toContain("limbeck train --recipe grpo --env household --steps 200");
    expect(await page.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
    const done = async (): Promise<number> => Number((await card.locator("[role=status] b").textContent()) ?? "0");
    await expect.poll(done, SLOW).toBeGreaterThanOrEqual(2);
    await card.getByText("running").waitFor();
    // The curve has what the training has written; nothing was asked for by hand.
    await card.locator("svg.plot, .plot svg").first().waitFor();
    await card.getByText("training episodes").waitFor();
    expect(await card.textContent()).toMatch(/Held-out success before[01]\.\d{3} \[\d\.\d{3}, \d\.\d{3}\]/);
    await card.getByRole("button", { name: "Stop" }).click();
    await card.locator(".badge", { hasText: "stopped" }).waitFor(SLOW);
    expect(await page.getByRole("button", { name: "Start" }).isDisabled()).toBe(false);
    // The run is there, with what it has learnt, and nobody waits for it to speak again.
    const name = (await card.locator("h2 a").textContent()) ?? "";
    await card.locator("h2 a").click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await page.locator(".page-head .badge", { hasText: "stopped" }).waitFor();
    expect(Number(await page.getByTestId("updates-done").textContent())).toBeGreaterThanOrEqual(2);
    expect(faults).toEqual([]);
    await page.context().close();
  }, 200_000);

  test("a running training can be stopped from the page of its run", async () => {
    const studio = await bench.serve({ train: TRAIN });
    const { page, faults } = await bench.open(`#/train?${SMALL}`, { studio });
    await page.getByRole("button", { name: "Start" }).click();
    const card = page.locator(".training").first();
    await card.locator("dl.facts dt").first().waitFor(SLOW);
    await card.locator("h2 a").click();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.locator(".page-head .badge", { hasText: "stopped" }).waitFor(SLOW);
    await page.getByRole("button", { name: "Stop" }).waitFor({ state: "detached" });
    expect(faults).toEqual([]);
    await page.context().close();
  }, 200_000);

  test("a studio without the right says how to get it, and offers no button", async () => {
    const { page, faults } = await bench.open("#/train");
    await page.getByText("limbeck studio --train").waitFor();
    expect(await page.getByRole("button", { name: "Start" }).count()).toBe(0);
    expect(faults).toEqual([]);
    await page.context().close();
  });
});
