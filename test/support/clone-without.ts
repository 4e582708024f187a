/** A clone of this repository whose native parts are as a test wants them: the program copied, other packages linked. */
import { execFile, execFileSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { PACKAGES } from "../../scripts/layout.ts";
import { COMMAND_LINE } from "./command-line.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const packages = join(root, "node_modules");

/** "renamed": the package is there, its file is not; "garbled": the file is no library; "elsewhere": for others only. */
export type PartState = "whole" | "absent" | "renamed" | "garbled" | "elsewhere";

/** What loads the native parts, by package; of limbeck the manifest alone. */
const LOADERS: Readonly<Record<string, readonly string[]>> = {
  base: ["."],
  store: ["store/duckdb.js"],
  policy: ["graph/runtime.js"],
  limbeck: [],
};

const BINARIES = join("bin", "napi-v6");

/** The whole of the program as `npm start` compiles it, or the files that load the parts. */
export async function cloneProgram(folder: string, what: "all" | "loaders"): Promise<void> {
  execFileSync(process.execPath, [COMMAND_LINE, "--version"]);
  await mkdir(folder, { recursive: true });
  await cp(join(root, "package.json"), join(folder, "package.json"));
  for (const name of await readdir(join(root, "packages"))) {
    const [from, to] = [join(root, "packages", name), join(folder, "packages", name)];
    const whole = !Object.hasOwn(PACKAGES, name) || (what === "loaders" && !Object.hasOwn(LOADERS, name));
    if (whole) await link(from, to);
    else {
      // By its manifest a file finds other packages, so that lies here.
      await mkdir(to, { recursive: true });
      await cp(join(from, "package.json"), join(to, "package.json"));
      for (const one of await readdir(from)) {
        if (one !== "dist" && one !== "package.json") await link(join(from, one), join(to, one));
      }
      for (const path of what === "all" ? ["."] : (LOADERS[name] ?? [])) {
        await cp(join(from, "dist", path), join(to, "dist", path), { recursive: true });
      }
    }
  }
  for (const name of await readdir(packages)) {
    if (name.startsWith(".") || name === "@duckdb" || name === "onnxruntime-node") continue;
    const own = name.replace(/^limbeck-?/, "") || "limbeck";
    const isOurs = name.startsWith("limbeck");
    await link(isOurs ? join(folder, "packages", own) : join(packages, name), join(folder, "node_modules", name));
  }
}

/** May be called again, for parts in another state. */
export async function placeParts(
  folder: string,
  { duckdb = "whole", onnxruntime = "whole" }: { readonly duckdb?: PartState; readonly onnxruntime?: PartState },
): Promise<void> {
  const own = join(folder, "node_modules");
  for (const name of ["@duckdb", "onnxruntime-node"]) await rm(join(own, name), { recursive: true, force: true });
  await placeDuckDB(own, duckdb);
  await placeRuntime(join(own, "onnxruntime-node"), onnxruntime);
}

async function placeDuckDB(own: string, state: PartState): Promise<void> {
  for (const name of ["node-api", "node-bindings"]) {
    await cp(join(packages, "@duckdb", name), join(own, "@duckdb", name), { recursive: true });
  }
  if (state === "elsewhere") {
    const file = join(own, "@duckdb", "node-bindings", "package.json");
    const manifest = JSON.parse(await readFile(file, "utf8")) as object;
    const optionalDependencies = { "@duckdb/node-bindings-plan9-mips": "1.0.0" };
    await writeFile(file, JSON.stringify({ ...manifest, optionalDependencies }));
  }
  for (const name of await readdir(join(packages, "@duckdb"))) {
    if (!name.startsWith("node-bindings-") || state === "absent" || state === "elsewhere") continue;
    await placePart({
      from: join(packages, "@duckdb", name),
      to: join(own, "@duckdb", name),
      file: "duckdb.node",
      state,
    });
  }
}

async function placeRuntime(to: string, state: PartState): Promise<void> {
  if (state === "absent") return;
  const from = join(packages, "onnxruntime-node");
  const place = join(BINARIES, process.platform, process.arch);
  await placePart({ from, to, file: join(place, "onnxruntime_binding.node"), state });
  if (state === "whole") return;
  await cp(join(from, "dist"), join(to, "dist"), { recursive: true });
  await mkdir(join(to, state === "elsewhere" ? join(BINARIES, "plan9", "mips") : place), { recursive: true });
}

async function placePart(part: {
  readonly from: string;
  readonly to: string;
  readonly file: string;
  readonly state: PartState;
}): Promise<void> {
  const { from, to, file, state } = part;
  if (state === "whole") return await link(from, to);
  await mkdir(to, { recursive: true });
  await cp(join(from, "package.json"), join(to, "package.json"));
  if (state === "elsewhere") return;
  await mkdir(dirname(join(to, file)), { recursive: true });
  await writeFile(join(to, state === "renamed" ? `${file}.gone` : file), "no library");
}

async function link(target: string, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await symlink(target, path, "junction");
}

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Node in the clone. */
export function runIn(folder: string, words: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const env = { ...process.env, ...more, NO_COLOR: "1", LIMBECK_STORE: join(folder, "runs") };
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: folder, env }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err });
    });
  });
}
