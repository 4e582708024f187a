/** A built studio over a store of its own, and a browser that notes everything a page should not do. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { build } from "vite";
import { startStudio, type Studio, type StudioOptions } from "../../src/serve/index.ts";
import { openStore } from "../../src/store/index.ts";
import { browserPath } from "./browser.ts";
import { arenas, createLibrary } from "./studio-arena.ts";
import { writeStudioStore } from "./studio-store.ts";

export interface StudioBench {
  readonly root: string;
  /** The folder of the built pages. */
  readonly pages: string;
  readonly studio: Studio;
  /** A page that has entered with the token, at an address behind "#". Faults are those of this page only. */
  open(place: string, options?: OpenOptions): Promise<OpenedPage>;
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
  const [root, pages] = [join(folder, "runs"), join(folder, "pages")];
  const source = join(import.meta.dirname, "../../studio");
  await build({
    root: source,
    configFile: join(source, "vite.config.ts"),
    logLevel: "silent",
    build: { outDir: pages, emptyOutDir: true },
  });
  const store = openStore(root);
  await writeStudioStore(store);
  await store.close();
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
  const browser = await chromium.launch({ executablePath: browserPath ?? "", args: ["--no-sandbox"] });
  return {
    root,
    pages,
    studio,
    serve,
    open: (place, options = {}) => openPage(browser, place, { studio, ...options }),
    close: async () => {
      await browser.close();
      for (const server of servers) await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function openPage(
  browser: Browser,
  place: string,
  { studio, width = 1280, theme = "light" }: OpenOptions & { readonly studio: Studio },
): Promise<OpenedPage> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme });
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
