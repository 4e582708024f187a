/** What users get: `npm run install-into` typed in a clone, and the project into which it installed. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { npmProgram } from "../../scripts/package/npm.ts";
import { packageVersion } from "../../packages/base/src/base/package-info.ts";

export const root = fileURLToPath(new URL("../..", import.meta.url));
export const run = promisify(execFile);
const { peerDependencies } = JSON.parse(readFileSync(join(root, "packages/limbeck/package.json"), "utf8")) as {
  readonly peerDependencies: Readonly<Record<string, string>>;
};
const ENGINE = peerDependencies["onnxruntime-node"];
export const TARBALL = `limbeck-${packageVersion()}.tgz`;

const NOT_COPIED = new Set([".git", "node_modules", "dist", "runs", "coverage", "research", "test"]);
/** A file that the warm cache lacks is fetched; without a network npm shall say so soon. */
const NPM = { npm_config_prefer_offline: "true", npm_config_fetch_retries: "0", npm_config_update_notifier: "false" };
const NO_NETWORK =
  /npm error (?:code )?(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ENOTCACHED)/;

export interface Installed {
  readonly folder: string;
  readonly clone: string;
  /** The project. */
  readonly app: string;
  /** The package in it. */
  readonly unpacked: string;
  /** What the command printed. */
  readonly said: string;
  /** Why the project could not be installed: without a network the package is only unpacked. */
  readonly unreachable: string | undefined;
}

/** Types the words of a page in a copy whose path has spaces, so that no dist folder that someone uses is disturbed. */
export function installedOnce(): () => Installed {
  let installed: Installed | undefined;
  beforeAll(async () => {
    installed = await install();
  }, 240_000);
  afterAll(() => (installed === undefined ? undefined : rm(installed.folder, { recursive: true, force: true })));
  return () => installed as Installed;
}

async function install(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck package "));
  const clone = join(folder, "the clone");
  const app = join(folder, "my-agent");
  const unpacked = join(app, "node_modules", "limbeck");
  for (const name of await readdir(root)) {
    if (!NOT_COPIED.has(name) && !name.endsWith(".tgz"))
      await cp(join(root, name), join(clone, name), { recursive: true });
  }
  await symlink(join(root, "node_modules"), join(clone, "node_modules"), "junction");
  const places = { folder, clone, app, unpacked };
  try {
    const page = await readFile(join(root, "docs", "learn", "ten-minutes.md"), "utf8");
    const words = /^npm (run install-into .*)$/m.exec(page)?.[1]?.split(" ") ?? [];
    const said = await npm(clone, ...words);
    // The page needs the store's engine alone; some tests train.
    await npm(app, "install", "--ignore-scripts", `onnxruntime-node@${ENGINE}`);
    return { ...places, said, unreachable: undefined };
  } catch (error) {
    const text = (error as { readonly stderr?: string }).stderr ?? String(error);
    const line = NO_NETWORK.exec(text)?.[0];
    if (line === undefined) throw error;
    const unreachable = `needs a package registry that answers: ${line.replace(/[()]/g, " ")}`;
    process.stderr.write(`Nothing of the installed package is run: ${unreachable}\n`);
    await mkdir(unpacked, { recursive: true });
    await run("tar", ["-xzf", join(clone, TARBALL), "-C", unpacked, "--strip-components", "1"]);
    return { ...places, said: "", unreachable };
  }
}

export async function npm(cwd: string, ...words: string[]): Promise<string> {
  const [file, ...first] = npmProgram();
  // The variables of an npm around this test would speak of another folder.
  const { INIT_CWD: _, ...env } = process.env;
  const { stdout } = await run(file, [...first, ...words], { cwd, env: { ...env, ...NPM } });
  return stdout;
}

export async function limbeckIn({ unpacked }: Installed, cwd: string, ...words: string[]): Promise<string> {
  const { stdout } = await run(process.execPath, [join(unpacked, "dist", "cli", "bin.js"), ...words], { cwd });
  return stdout;
}
