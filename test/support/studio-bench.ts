/** A built studio over a store of its own, and a browser that notes everything a page should not do. */
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { startStudio, type Studio, type StudioOptions } from "../../packages/studio/src/serve/server.ts";
import { openStore } from "../../packages/store/src/store/open-store.ts";
import { theBrowser } from "./browser.ts";
import { sourceFolders } from "../../scripts/layout.ts";
import { builtOnce } from "./built-once.ts";
import { arenas, createLibrary } from "./studio-arena.ts";
import { writeStudioStore } from "./studio-store.ts";

const WIDTH = 1280;
const HEIGHT = 800;

export interface StudioBench {
  readonly root: string;
  /** The folder of the built pages. */
  readonly pages: string;
  readonly studio: Studio;
  /** A page that has entered with the token, at an address behind "#". Faults are those of this page only. */
  open(place: string, options?: OpenOptions): Promise<OpenedPage>;
  /** The same with the one page that these tests share: a new document, and no new browser window. It stays open. */
  visit(place: string, options?: Pick<OpenOptions, "width">): Promise<OpenedPage>;
  /** Another server, over the same store unless another is named. */
  serve(options?: Partial<Pick<StudioOptions, "port" | "write" | "root" | "train">>): Promise<Studio>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly studio?: Studio;
  readonly width?: number;
  readonly theme?: "light" | "dark";
}

export interface OpenedPage {
  readonly page: Page;
  /** Console lines, script errors, dialogs, and requests to any other host. */
  readonly faults: string[];
}

export async function openStudioBench(): Promise<StudioBench> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-studio-"));
  const root = join(folder, "runs");
  const pages = await builtOnce("studio", ["packages/studio/pages", ...sourceFolders], buildPages);
  await cp(await builtOnce("studio-store", [...sourceFolders, "test/support"], fillStore), root, { recursive: true });
  const servers: Studio[] = [];
  const serve: StudioBench["serve"] = async (options = {}) => {
    const started = await startStudio({
      root,
      pages,
      version: "0.0.0",
      arenas,
      library: createLibrary(),
      followEveryMs: 100,
      ...options,
    });
    servers.push(started);
    return started;
  };
  const studio = await serve();
  const browser = await theBrowser();
  let shared: OpenedPage | undefined;
  const visit: StudioBench["visit"] = async (place, { width = WIDTH } = {}) => {
    shared ??= await openPage(browser, "", { studio });
    const { page, faults } = shared;
    // Else only what stands behind "#" would change, and the page go on with what it has.
    await page.goto("about:blank");
    await page.setViewportSize({ width, height: HEIGHT });
    faults.splice(0);
    await page.goto(`${studio.url}/${place}`);
    return shared;
  };
  return {
    root,
    pages,
    studio,
    serve,
    visit,
    open: (place, options = {}) => openPage(browser, place, { studio, ...options }),
    close: async () => {
      for (const context of browser.contexts()) await context.close();
      for (const server of servers) await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function buildPages(outDir: string): Promise<void> {
  const source = join(import.meta.dirname, "../../packages/studio/pages");
  const configFile = join(source, "vite.config.ts");
  await build({ root: source, configFile, logLevel: "silent", build: { outDir, emptyOutDir: true } });
}

async function fillStore(root: string): Promise<void> {
  const store = openStore(root);
  await writeStudioStore(store);
  await store.close();
}

async function openPage(
  browser: Browser,
  place: string,
  { studio, width = WIDTH, theme = "light" }: OpenOptions & { readonly studio: Studio },
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width, height: HEIGHT }, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const faults: string[] = [];
  page.on("console", (message) => {
    // The browser itself notes refused requests; the tests that provoke them look at the page instead.
    if (!message.text().startsWith("Failed to load resource")) faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(`${studio.url}/`)) faults.push(`request: ${request.url()}`);
  });
  await page.goto(`${studio.entrance}${place}`);
  return { page, faults };
}
