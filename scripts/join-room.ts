/**
 * Joins a compiled registry with the files of its folder that it loads:
 *
 *     tsx scripts/join-room.ts packages/core/dist/credit/registry.js
 *
 * Node takes most of a millisecond for every file that it imports, and the credit methods are eighty. Their code goes into
 * one file, `room.js`; each of them stays as the names that it exports, so that whatever imports one gets the same objects.
 * That is right where files of other folders that they import do not import them in turn.
 */
import { writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { build, type BuildOptions, type Plugin } from "esbuild";

const ROOM = "room.js";

export async function joinRoom(registry: string): Promise<void> {
  const folder = dirname(resolve(registry));
  const files = await loadedBy(registry, folder);
  const exported = await exportsOf(folder, files);
  // Two files may have a name in common.
  const inRoom = (name: string, at: number): string => `${name}_${at}`;
  const entry = files.map((file, at) => linesFor(exported.get(file), (name) => `${name} as ${inRoom(name, at)}`, file));
  const { outputFiles } = await build({
    ...shared(folder),
    stdin: { contents: entry.join("\n"), resolveDir: folder, sourcefile: ROOM },
    outfile: join(folder, ROOM),
  });
  writeFileSync(join(folder, ROOM), outputFiles[0]?.text ?? "");
  for (const [at, file] of files.entries()) {
    const up = relative(dirname(file), ".").split(sep).join("/");
    const room = `${up === "" ? "" : `${up}/`}${ROOM}`;
    const text = linesFor(exported.get(file), (name) => `${inRoom(name, at)} as ${name}`, room);
    writeFileSync(join(folder, file), `${text === "" ? "export {};" : text}\n`);
  }
}

/** Files of the folder that are loaded with one of them, itself included. */
async function loadedBy(file: string, folder: string): Promise<string[]> {
  const { metafile } = await build({ ...shared(folder), entryPoints: [file], outdir: folder, metafile: true });
  return Object.keys(metafile.inputs)
    .map((path) => relative(folder, resolve(path)).split(sep).join("/"))
    .toSorted();
}

function linesFor(names: readonly string[] = [], shown: (name: string) => string, file: string): string {
  return names.length === 0 ? "" : `export { ${names.map(shown).join(", ")} } from "./${file}";`;
}

async function exportsOf(folder: string, files: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
  const { metafile } = await build({
    entryPoints: files.map((file) => join(folder, file)),
    outbase: folder,
    outdir: folder,
    write: false,
    metafile: true,
    format: "esm",
    logLevel: "error",
  });
  return new Map(
    Object.entries(metafile.outputs).map(([path, { exports }]) => [
      relative(folder, resolve(path)).split(sep).join("/"),
      exports,
    ]),
  );
}

function shared(folder: string) {
  return {
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
    plugins: [besideRoom(folder)],
    logLevel: "error",
  } as const satisfies BuildOptions;
}

/** What lies outside the folder is imported from where the joined file lies. */
function besideRoom(folder: string): Plugin {
  return {
    name: "beside-room",
    setup: (esbuild) => {
      esbuild.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const to = relative(folder, join(resolveDir, path)).split(sep).join("/");
        return to.startsWith("../") ? { path: to, external: true } : undefined;
      });
    },
  };
}

const [registry] = process.argv.slice(2);
if (registry !== undefined && import.meta.filename === resolve(process.argv[1] ?? "")) await joinRoom(registry);
