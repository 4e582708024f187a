/** The system's Chromium for tests in a real browser; playwright-core brings none of its own. */
import { existsSync } from "node:fs";
import { chromium, type Browser } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Undefined where there is none; then such tests are skipped, and their titles say how to get one. */
export const browserPath = [process.env["CHROMIUM_PATH"] ?? "", ...PLACES].find(
  (path) => path !== "" && existsSync(path),
);

export const NEEDS_BROWSER = "needs Chromium: apt-get install chromium, or set CHROMIUM_PATH";

/** Of this process: test files share it, and it ends with them. */
const shared = globalThis as { limbeckBrowser?: Promise<Browser> };

export function theBrowser(): Promise<Browser> {
  return (shared.limbeckBrowser ??= chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] }));
}
