/** The habits of a browser: back, links, rows, small screens, and the first visit. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserPath, NEEDS_BROWSER } from "../support/browser.ts";
import { openStudioBench, type StudioBench } from "../support/studio-bench.ts";

const EPISODE = "#/runs/trained/trajectory/6%2Ftrain%2F1";
const EVERY_PAGE = [
  "#/runs",
  "#/runs/trained",
  "#/compare?run=trained&run=second",
  "#/trajectories",
  "#/trajectories?mode=sql&sql=select+*+from+trajectories",
  "#/trajectories?mode=sql&sql=select+nonsense",
  EPISODE,
  `${EPISODE}?with=6%2Ftrain%2F0`,
  `${EPISODE}?find=shelf&queue=trained`,
  "#/runs/hostile/trajectory/planted",
  "#/runs/hostile",
  "#/tree",
  "#/runs/forest/tree",
  "#/runs/forest/tree/group-1",
  "#/skills?source=run&run=trained&id=episode-false",
  "#/skills?id=look-first",
  "#/judge",
  "#/arena",
  "#/arena/spring",
  "#/train",
  "#/play",
  "#/fleet",
];

/**
 * What reaches beyond the screen without a scroll bar of its own. Texts that end in dots on purpose, and pictures, which
 * are scaled, are none.
 */
const CUT_OFF = `[...document.querySelectorAll("main *")].filter((element) => {
  if (element.getBoundingClientRect().right <= innerWidth + 1 || element.getClientRects().length === 0) return false;
  for (let at = element; at !== null && at.tagName !== "MAIN"; at = at.parentElement) {
    if (at.matches("svg, .clip, .preview, .visually-hidden, summary, .chart-values")) return false;
    if (["auto", "scroll"].includes(getComputedStyle(at).overflowX)) return false;
  }
  return true;
}).slice(0, 3).map((element) => element.outerHTML.slice(0, 160))`;

/** A second, which is what a poll has by itself, is little on a busy machine. */
const SOON = { timeout: 20_000 };

describe.skipIf(browserPath === undefined)(`habits of a browser (${NEEDS_BROWSER})`, () => {
  let bench: StudioBench;
  let empty: string;
  beforeAll(async () => {
    empty = await mkdtemp(join(tmpdir(), "limbeck-empty-"));
    bench = await openStudioBench();
  }, 120_000);
  afterAll(async () => {
    await bench.close();
    await rm(empty, { recursive: true, force: true });
  });

  test("a row leads where its link does, and back finds the place that was left", async () => {
    const { page, faults } = await bench.open("#/trajectories?run=trained&limit=50");
    const row = page.locator("tbody tr").nth(24);
    await row.scrollIntoViewIfNeeded();
    const at = (): Promise<number> => page.evaluate("scrollY");
    await expect.poll(at, SOON).toBeGreaterThan(200);
    const left = await at();
    const goal = row.locator("td").nth(2);
    await goal.click();
    await page.waitForURL(/\/trajectory\//);
    await settled(page);
    expect(await at()).toBe(0);
    await page.goBack();
    await settled(page);
    await expect.poll(async () => Math.abs((await at()) - left), SOON).toBeLessThan(3);
    await page.goForward();
    await expect.poll(at, SOON).toBe(0);
    // A reload stays where it was, too.
    await page.goBack();
    await expect.poll(async () => Math.abs((await at()) - left), SOON).toBeLessThan(3);
    await page.reload();
    await expect.poll(async () => Math.abs((await at()) - left), SOON).toBeLessThan(3);
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("a checkbox in a row chooses and leads nowhere", async () => {
    const { page, faults } = await bench.visit("#/runs");
    await page.getByLabel("Compare trained").check();
    expect(page.url()).toContain("#/runs");
    await page
      .locator("tr", { has: page.getByLabel("Compare trained") })
      .locator("td")
      .last()
      .click();
    await page.getByRole("heading", { name: "trained", level: 1 }).waitFor();
    const text = (await page.locator(".page-head").textContent()) ?? "";
    expect(text).not.toContain("opid · opid");
    expect(faults).toEqual([]);
  });

  test("every page fits a screen of 390 pixels, and nothing is cut off", async () => {
    const { page, faults } = await bench.visit("#/runs", { width: 390 });
    for (const place of EVERY_PAGE) {
      await page.goto(`${bench.studio.url}/${place}`);
      await settled(page);
      if (place.includes("find=")) await page.locator(".hits").waitFor();
      const wide = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      expect({ place, wide, cut: await page.evaluate(CUT_OFF) }).toEqual({ place, wide: false, cut: [] });
    }
    await page.goto(`${bench.studio.url}/#/play`);
    await page.getByRole("button", { name: "Open", exact: true }).click();
    await page.locator(".action .number").first().waitFor();
    expect(await page.evaluate(CUT_OFF)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth > innerWidth")).toBe(false);
    expect(faults).toEqual([]);
  }, 120_000);

  test("an empty store says how to begin", async () => {
    const studio = await bench.serve({ root: empty });
    const { page, faults } = await bench.open("#/runs", { studio });
    for (const place of ["#/runs", "#/trajectories", "#/tree"]) {
      await page.goto(`${studio.url}/${place}`);
      const steps = page.locator(".first-steps");
      await steps.waitFor();
      for (const command of ["limbeck demo", "limbeck import FILE", "limbeck train"]) {
        expect(await steps.textContent()).toContain(command);
      }
    }
    expect(faults).toEqual([]);
    await page.context().close();
  });

  test("who comes without the token is told what it is for and where it is", async () => {
    const { page } = await bench.open("#/runs");
    const stranger = await page.context().browser()?.newContext();
    const other = await stranger?.newPage();
    const said: string[] = [];
    other?.on("console", (message) => said.push(message.text()));
    const answer = await other?.goto(bench.studio.url);
    expect(answer?.status()).toBe(401);
    await other?.getByRole("heading", { name: "This address needs its token" }).waitFor();
    // Its one style sheet is allowed by its hash.
    expect(said.filter((line) => /Content Security Policy/i.test(line))).toEqual([]);
    expect(await other?.evaluate("getComputedStyle(document.body).maxWidth")).not.toBe("none");
    await stranger?.close();
    await page.context().close();
  });
});

async function settled(page: Page): Promise<void> {
  await page.locator("main h1").first().waitFor();
  await expect.poll(() => page.locator(".loading").count(), { timeout: 20_000 }).toBe(0);
}
