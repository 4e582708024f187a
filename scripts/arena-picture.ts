/**
 * A picture of an arena's report, for the docs:
 *
 *     npm run screenshots:arena -- DIR [docs/images/arena.png]
 *
 * Takes the first screen and the curves below it, in the system's Chromium.
 */
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { browserPath, NEEDS_BROWSER } from "../test/support/browser.ts";

const [dir, out = "docs/images/arena.png"] = process.argv.slice(2);
if (dir === undefined || browserPath === undefined) {
  process.stderr.write(`Give the folder of an arena. A picture ${NEEDS_BROWSER}.\n`);
  process.exitCode = 2;
} else {
  const opened = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  try {
    const page = await opened.newPage({ viewport: { width: 1120, height: 1500 }, colorScheme: "light" });
    await page.goto(pathToFileURL(join(resolve(dir), "report.html")).href);
    mkdirSync(dirname(resolve(out)), { recursive: true });
    await page.screenshot({ path: resolve(out) });
  } finally {
    await opened.close();
  }
}
