/** Curves in a real browser: pointed at, zoomed into, smoothed, switched off, and laid over each other. */
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";
import { writeTrainedRun } from "../support/trained-run.ts";

const UPDATES = 5_000;

describe.skipIf(browserPath === undefined)(`curves in a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  beforeAll(async () => {
    bench = await openStudioBench();
    const store = openStore(bench.root);
    await writeTrainedRun(store, "arm-1", { seed: 1, rise: 0.1 });
    // Runs of one arm have the same settings, so only their training can make them differ.
    await writeTrainedRun(store, "arm-2", { seed: 2, rise: 0.1, climb: 0.02 });
    const writer = await store.createRun({ id: "endless", kind: "train", config: { recipe: "opid", seed: 1 } });
    for (let update = 1; update <= UPDATES; update += 1) {
      await writer.addMetrics(update, { success: update / UPDATES, "credit/groups": 700 + (update % 7) });
    }
    await writer.close();
    await store.close();
  }, 180_000);
  afterAll(() => bench.close());

  test("pointing shows the values of every series at that update, by mouse and by keys", async () => {
    const { page, faults } = await bench.open("#/runs/trained");
    const success = chart(page, "Success");
    await success.locator("svg.plot").waitFor();
    await success.getByRole("slider").hover({ position: { x: 200, y: 60 } });
    await success.getByTestId("chart-values").waitFor();
    await success.getByRole("slider").focus();
    await page.keyboard.press("Home");
    for (let step = 0; step < 4; step += 1) await page.keyboard.press("ArrowRight");
    const values = await success.getByTestId("chart-values").textContent();
    // Training success is 0.25 + 0.1 an update; 6 of 8 validation tasks at update 4, with 5 to 7 as their interval.
    for (const words of [
      "update 4",
      "held-out tasks–",
      "validation tasks0.750[0.625, 0.875]",
      "training episodes0.650",
    ]) {
      expect(values).toContain(words);
    }
    expect(await success.getByRole("slider").getAttribute("aria-valuetext")).toContain("training episodes 0.650");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a drag zooms every curve, a double click shows all, and the address keeps it", async () => {
    const { page, faults } = await bench.open("#/runs/trained");
    const success = chart(page, "Success");
    await success.locator("svg.plot").waitFor();
    await success.scrollIntoViewIfNeeded();
    await drag(page, success.getByRole("slider"), 0.45, 0.85);
    await expect.poll(() => page.url()).toMatch(/x=\d/);
    await expect.poll(() => ticks(chart(page, "Entropy"))).not.toContain("1");
    expect(await ticks(success)).not.toContain("0");
    await page.reload();
    await page.getByRole("button", { name: /^update \d to \d/ }).waitFor();
    await chart(page, "Success")
      .getByRole("slider")
      .dblclick({ position: { x: 200, y: 60 } });
    await expect.poll(() => page.url()).not.toContain("x=");
    await expect.poll(() => ticks(chart(page, "Success"))).toContain("0");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("series are switched off, lines smoothed, and the side takes powers", async () => {
    const { page, faults } = await bench.open("#/runs/trained");
    const success = chart(page, "Success");
    await success.locator("svg.plot").waitFor();
    const marks = (): Promise<number> => success.locator("svg.plot g[aria-label=line] path").count();
    expect(await marks()).toBe(1);
    // Held-out and validation tasks are measured now and then: 2 + 2 marks with their intervals, and no line.
    expect(await success.locator("svg.plot g[aria-label=rule] line").count()).toBe(4);
    await success.getByRole("button", { name: /^training episodes/ }).click();
    await expect.poll(marks).toBe(0);
    expect(page.url()).toContain("hide=training+episodes");
    await page.getByRole("button", { name: "1 hidden" }).click();
    await expect.poll(marks).toBe(1);
    await page.getByRole("slider", { name: "Smoothing" }).fill("0.6");
    // The measured line stays, faint, under the smoothed one.
    await expect.poll(marks).toBe(2);
    expect(page.url()).toContain("smooth=0.6");
    await page.getByLabel("log scale").check();
    const entropy = chart(page, "Entropy");
    // Entropy is 1/update, so 1 down to 1/6: the ends of a scale of powers, where a plain one ends at 0.
    await expect.poll(() => sideTicks(entropy)).toContain("0.2");
    expect(await sideTicks(entropy)).not.toContain("0");
    expect(page.url()).toContain("log=yes");
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("titles are plain, with the raw name and a sentence behind them, and counts are whole", async () => {
    const { page, faults } = await bench.open("#/runs/endless");
    await page.getByText("Credit", { exact: false }).first().waitFor();
    for (const summary of await page.locator("details:not(.about) > summary").all()) await summary.click();
    const groups = chart(page, "Credit: groups");
    await groups.locator("svg.plot").waitFor();
    await groups.getByLabel("What is Credit: groups?").click();
    expect(await groups.locator(".about p").textContent()).toMatch(/credit method reports.*credit\/groups/);
    expect((await sideTicks(groups)).every((text) => /^7\d\d$/.test(text))).toBe(true);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("of 5,000 updates each can be pointed at, and few points are drawn", async () => {
    const { page, faults } = await bench.open("#/runs/endless?x=2499..2501");
    const success = chart(page, "Success");
    await success.locator("svg.plot").waitFor();
    await success.getByRole("slider").focus();
    await page.keyboard.press("Home");
    await page.keyboard.press("ArrowRight");
    // Update 2,500 of 5,000.
    expect(await success.getByTestId("chart-values").textContent()).toContain("update 2,5000.500");
    await page.keyboard.press("Escape");
    await expect.poll(() => page.url()).not.toContain("x=");
    const letters = async (): Promise<number> =>
      ((await success.locator("svg.plot g[aria-label=line] path").getAttribute("d")) ?? "").length;
    await expect.poll(letters).toBeGreaterThan(1_000);
    // 400 points of some ten letters each; all of them would be 50,000 and more.
    expect(await letters()).toBeLessThan(12_000);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("runs lie over each other; seeds of one arm are one line, and two are too few for a band", async () => {
    const { page, faults } = await bench.open("#/compare?run=arm-1&run=arm-2&run=second");
    const success = chart(page, "Success of training episodes");
    await success.locator("svg.plot").waitFor();
    const lines = (): Promise<number> => success.locator("svg.plot g[aria-label=line] path").count();
    expect(await lines()).toBe(2);
    expect(await success.locator("svg.plot g[aria-label=area] path").count()).toBe(0);
    await success.getByRole("slider").focus();
    await page.keyboard.press("Home");
    // At update 1: 0.25 + 0.1 = 0.35 and 0.37, so 0.36; the other run has 0.25 + 0.05 = 0.30.
    const values = await success.getByTestId("chart-values").textContent();
    expect(values).toContain("arm-1 and 1 more0.360");
    expect(values).toContain("second0.300");
    expect(await page.locator("main").textContent()).toContain("two runs have none");
    await page.getByLabel("each run").check();
    await expect.poll(lines).toBe(3);
    expect(page.url()).toContain("lines=runs");
    expect(faults).toEqual([]);
    await page.context().close();
  });
});

function chart(page: Page, title: string): Locator {
  return page
    .locator("figure.chart", { has: page.getByRole("heading", { name: new RegExp(`^${title}( |$)`) }) })
    .first();
}

async function ticks(one: Locator): Promise<string[]> {
  return await one.locator("svg.plot g[aria-label='x-axis tick label'] text").allTextContents();
}

async function sideTicks(one: Locator): Promise<string[]> {
  return await one.locator("svg.plot g[aria-label='y-axis tick label'] text").allTextContents();
}

/** From one share of its width to another. */
async function drag(page: Page, one: Locator, from: number, to: number): Promise<void> {
  const box = await one.boundingBox();
  if (box === null) throw new Error("The chart is not on the page.");
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * from, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * ((from + to) / 2), y);
  await page.mouse.move(box.x + box.width * to, y);
  await page.mouse.up();
}
