/**
 * A picture of an arena's report, for the docs:
 *
 *     tsx scripts/arena-picture.ts DIR [docs/images/arena.png]
 *
 * Takes the first screen and the curves below it, in the system's Chromium.
 */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const [dir, out = "docs/images/arena.png"] = process.argv.slice(2);
const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);
if (dir === undefined || browser === undefined) {
  process.stderr.write("Give the folder of an arena; Chromium must be installed (apt-get install chromium).\n");
  process.exitCode = 2;
} else {
  const opened = await chromium.launch({ executablePath: browser, args: ["--no-sandbox"] });
  try {
    const page = await opened.newPage({ viewport: { width: 1120, height: 1500 }, colorScheme: "light" });
    await page.goto(pathToFileURL(join(resolve(dir), "report.html")).href);
    mkdirSync(dirname(resolve(out)), { recursive: true });
    await page.screenshot({ path: resolve(out) });
  } finally {
    await opened.close();
  }
}
