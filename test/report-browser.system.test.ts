/** The report in a real browser: it runs without an error, asks no host for anything, and its words tell their numbers. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { writeReport } from "../packages/store/src/report/page.ts";
import { openStore } from "../packages/store/src/store/open-store.ts";
import { browserPath, NEEDS_BROWSER, theBrowser } from "./support/browser.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";
import { writeTrainedRun } from "./support/trained-run.ts";

const folder = temporaryFolders();

test.skipIf(browserPath === undefined)(`opens from disk (${NEEDS_BROWSER})`, async () => {
  const root = await folder();
  const store = openStore(root);
  await writeTrainedRun(store, "one");
  await writeTrainedRun(store, "two", { updates: 3, finished: false, tokenizer: false });
  const file = join(root, "report.html");
  const runs = ["one", "two"].map((run) => ({ run, label: run }));
  await writeReport(store, { runs, file });
  await store.close();

  const page = await (await theBrowser()).newPage({ viewport: { width: 390, height: 800 } });
  try {
    const faults = listen(page);
    await page.goto(pathToFileURL(file).href);
    expect(await page.title()).toBe("one · two · Limbeck");
    // Nothing is wider than a phone.
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    const words = page.locator("#tokens .words i", { hasText: /^take$/ }).first();
    const colour = (): Promise<unknown> => page.evaluate(COLOUR_OF_WORD);
    const byAdvantage = await colour();
    await words.click();
    expect(await page.locator("#readout").textContent()).toContain("advantage +0.500");
    await page.locator("input[value=shift]").check();
    expect(String(byAdvantage)).toMatch(/^color/);
    expect(await colour()).not.toBe(byAdvantage);
    await page.keyboard.press("Escape");
    expect(await page.locator("#readout").isHidden()).toBe(true);
    expect(faults).toEqual([]);
  } finally {
    await page.close();
  }
});

/** As text: the types of a browser are not those of this project. */
const COLOUR_OF_WORD = `
  const word = [...document.querySelectorAll("#tokens .words i")].find(({ textContent }) => textContent === "take");
  getComputedStyle(word).backgroundColor`;

/** Everything a page should not do. */
function listen(page: Page): string[] {
  const faults: string[] = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) faults.push(`request: ${request.url()}`);
  });
  return faults;
}
