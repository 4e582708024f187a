/** The studio's built pages, and the browser. In the package the pages are there; in the source tree they are built when they are missing or old. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { EngineError } from "limbeck-base/base/errors";
import { manifestOf, OWN_MANIFEST } from "limbeck-base/base/own-place";
import { missingFileAdvice } from "limbeck-base/base/package-info";

const ROOT = dirname(manifestOf(OWN_MANIFEST, "limbeck-studio") ?? OWN_MANIFEST);

/** The folder of the pages; `onBuild` is called when they are built first, which takes some seconds. */
export async function studioPages(onBuild: () => void): Promise<string> {
  const [built, source] = [join(ROOT, "dist", "pages"), join(ROOT, "pages")];
  const made = await changedAt(join(built, "index.html"));
  const newest = await newestIn(source);
  if (made !== undefined && (newest === undefined || newest <= made)) return built;
  if (newest === undefined) {
    throw new EngineError("no-pages", `The studio's pages are missing from ${built}. ${missingFileAdvice()}`);
  }
  onBuild();
  const unfinished = `${built}-${process.pid}`;
  try {
    const { build } = await import("vite");
    const configFile = join(source, "vite.config.ts");
    await build({ root: source, configFile, logLevel: "silent", build: { outDir: unfinished } });
    await replaceFolder(unfinished, built);
  } catch (cause) {
    await rm(unfinished, { recursive: true, force: true });
    if (made !== undefined) return built;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new EngineError("no-pages", `The studio's pages cannot be built: ${why} Run "npm ci", then try again.`, {
      cause,
    });
  }
  return built;
}

/** In one move, since another studio may be starting beside this one; whichever comes last is as good. */
async function replaceFolder(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await rename(from, to).catch(async (error: unknown) => {
    await rm(from, { recursive: true, force: true });
    if ((await changedAt(join(to, "index.html"))) === undefined) throw error;
  });
}

async function changedAt(file: string): Promise<number | undefined> {
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** When the newest source changed; undefined where there are none, as in the package. */
async function newestIn(folder: string): Promise<number | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const times = await Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => changedAt(join(entry.parentPath, entry.name))),
  );
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** True when a browser was asked to open it; nothing happens where none can be found. */
export async function openBrowser(
  address: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const names: Readonly<Record<string, string>> = { darwin: "open", win32: "explorer.exe" };
  const hasScreen = env["DISPLAY"] !== undefined || env["WAYLAND_DISPLAY"] !== undefined;
  const program = names[process.platform] ?? (hasScreen ? "xdg-open" : undefined);
  if (program === undefined) return false;
  const child = spawn(program, [address], { stdio: "ignore", detached: true });
  child.unref();
  return await once(child, "spawn").then(
    () => true,
    () => false,
  );
}
