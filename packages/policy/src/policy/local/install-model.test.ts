import { createHash } from "node:crypto";
import { cp, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test, vi } from "vitest";
import { packed } from "../../../../../test/support/packed.ts";
import { temporaryFolders } from "../../../../../test/support/temporary-folder.ts";
import { packageFolder } from "limbeck-base/base/package-folder";
import { bundledFolder } from "./bundled-model.ts";
import { installModel } from "./install-model.ts";
import { listModels, removeModel, type ModelPlaces } from "./model-list.ts";

const folder = temporaryFolders();
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const WEIGHTS = { "model.safetensors": "not many weights", "kitchen/model.safetensors": "others" };
const LONG = `${"a".repeat(150)}/${"b".repeat(60)}`;
const CARD = {
  name: "@mine/kitchen",
  license: "MIT",
  description: "plays in a kitchen",
  weights: Object.fromEntries(Object.entries(WEIGHTS).map(([file, text]) => [file, hashOf(text)])),
};

/** The files of a package, with changes to what its package.json says. */
function files(change: object = {}): Record<string, string> {
  const json = JSON.stringify({ ...CARD, ...change });
  return { "package.json": json, "config.json": "{}", "kitchen/config.json": "{}", ...WEIGHTS };
}

async function writtenTo(place: string, content: Readonly<Record<string, string | undefined>>): Promise<string> {
  for (const [file, text] of Object.entries(content)) {
    if (text === undefined) continue;
    await mkdir(dirname(join(place, file)), { recursive: true });
    await writeFile(join(place, file), text);
  }
  return place;
}

async function archiveOf(content: Readonly<Record<string, string>>, kinds?: Record<string, string>): Promise<string> {
  const path = join(await folder(), "kitchen-1.0.0.tgz");
  await writeFile(path, packed(content, kinds));
  return path;
}

const inPackage = (content: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(content).map(([file, text]) => [`package/${file}`, text]));

/** A program without models beside it. */
async function places(): Promise<ModelPlaces> {
  const own = await writtenTo(await folder(), { "package.json": "{}" });
  return { folder: join(await folder(), "models"), cwd: await folder(), ownManifest: join(own, "package.json") };
}

const install = async (given: string, at: ModelPlaces) =>
  await installModel(given, { ...at, environment: {}, signal: new AbortController().signal });

test("a folder and an archive install the same, are listed, found by name, and removed", async () => {
  const at = await places();
  const path = join(at.folder, "@mine+kitchen");
  const expected = { name: "@mine/kitchen", about: "plays in a kitchen", licence: "MIT", bytes: 22, path };
  const source = await writtenTo(await folder(), { ...files(), ".git/config": "no", "node_modules/a/index.js": "no" });
  const inFolder = (await readdir(source)).filter((name) => !/^\.git$|node_modules/.test(name)).sort();
  for (const given of [source, await archiveOf(inPackage(files()))]) {
    expect(await install(given, at)).toEqual({ ...expected, fetched: true });
    expect((await readdir(path)).sort()).toEqual(inFolder);
    expect(await readFile(join(path, "kitchen", "model.safetensors"), "utf8")).toBe("others");
    expect((await listModels(at)).at(-1)).toEqual(expected);
    vi.stubEnv("LIMBECK_MODELS", at.folder);
    expect(bundledFolder("bundled:@mine/kitchen")).toBe(path);
    expect(await removeModel("@mine/kitchen", at)).toBe(path);
    expect(bundledFolder("bundled:@mine/kitchen")).toBeUndefined();
    vi.unstubAllEnvs();
    expect(await readdir(at.folder)).toEqual([]);
  }
});

test.each<[string, Record<string, string>, Record<string, string>, string]>([
  ["a path that leads out", { "package/../../evil": "x" }, {}, "is no name of a file below"],
  ["a first folder that leads out", { "../evil": "x" }, {}, "is no name of a file below"],
  ["an absolute path", { "/etc/evil": "x" }, {}, "is no name of a file below"],
  ["a file in no folder", { evil: "x" }, {}, '"evil" lies in no folder'],
  ["a link", { "package/a": "" }, { "package/a": "2" }, '"package/a" is a link or a device'],
  ["a hard link", { "package/a": "" }, { "package/a": "1" }, '"package/a" is a link or a device'],
  ["a file that comes twice", { "other/config.json": "{}" }, {}, 'it holds "other/config.json" twice'],
  [
    "too many entries",
    Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`package/${at}/`, ""])),
    Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`package/${at}/`, "5"])),
    "more than 1000 entries",
  ],
])("an archive with %s", async (_what, more, kinds, message) => {
  const at = await places();
  await expect(install(await archiveOf({ ...inPackage(files()), ...more }, kinds), at)).rejects.toThrow(message);
  expect(await readdir(at.folder)).toEqual([]);
});

test.each<[string, Record<string, string | undefined>, string]>([
  [
    "other weights",
    { "model.safetensors": "changed" },
    `model.safetensors has the SHA-256 ${hashOf("changed")}; its package.json names ${hashOf("not many weights")}`,
  ],
  ["weights that it does not name", { "b.safetensors": "b" }, "its package.json has no SHA-256 of b.safetensors"],
  [
    "no model",
    {
      ...files({ weights: { "a.safetensors": hashOf("a") } }),
      "a.safetensors": "a",
      "model.safetensors": undefined,
      "kitchen/model.safetensors": undefined,
    },
    "no folder of it holds model.safetensors and config.json",
  ],
  [
    "a long path",
    { [LONG]: "x" },
    `${JSON.stringify(`package/${LONG}`.slice(0, 200))} goes on; a path has at most 200 characters`,
  ],
  ["a missing file", files({ weights: { ...CARD.weights, "c.safetensors": hashOf("c") } }), "c.safetensors is missing"],
  [
    "no licence",
    files({ license: undefined }),
    'it states the licence "none"; a name of SPDX such as Apache-2.0 or MIT is expected',
  ],
  ["a licence that allows nothing", files({ license: "UNLICENSED" }), 'it states the licence "UNLICENSED"'],
  ["a licence in a file", files({ license: "SEE LICENSE IN it" }), 'it states the licence "SEE LICENSE IN it"'],
  ["no list of weights", files({ weights: undefined }), "it has no package.json with a name of npm"],
  [
    "a hash that is none",
    files({ weights: { "model.safetensors": "abc" } }),
    "it has no package.json with a name of npm",
  ],
  ["a name that leads out", files({ name: "../kitchen" }), "it has no package.json with a name of npm"],
  [
    "a package.json that is too large",
    files({ description: "x".repeat(2 ** 20) }),
    "it has no package.json with a name of npm",
  ],
  ["no package.json", { "package.json": "[]" }, "it has no package.json with a name of npm"],
  [
    "a name of Limbeck",
    files({ name: "limbeck-writer-model", license: "Apache-2.0" }),
    "limbeck-writer-model is a package of Limbeck, and these are other weights; give yours another name",
  ],
  [
    "a name of Limbeck under another licence",
    files({ name: "limbeck-writer-model" }),
    'it states the licence "MIT"; Apache-2.0 is expected',
  ],
])("a package with %s is refused, and nothing is kept", async (_what, more, message) => {
  const at = await places();
  const source = await writtenTo(await folder(), { ...files(), ...more });
  await expect(install(source, at)).rejects.toThrow(
    `${JSON.stringify(source)} cannot be installed as a model: ${message}`,
  );
  expect(await readdir(at.folder)).toEqual([]);
});

test("an archive that claims too many bytes is refused before they are read; a stop keeps nothing", async () => {
  const at = await places();
  const header = Buffer.alloc(512);
  header.write("package/model.safetensors");
  header.write((5 * 2 ** 30).toString(8).padStart(11, "0"), 124);
  header.write("0", 156);
  const archive = join(at.cwd, "large.tgz");
  await writeFile(archive, gzipSync(header));
  await expect(install(archive, at)).rejects.toThrow("it holds more than 4294967296 bytes");
  const stopped = { ...at, environment: {}, signal: AbortSignal.abort() };
  await expect(installModel(await writtenTo(await folder(), files()), stopped)).rejects.toThrow(
    "The work was cancelled.",
  );
  expect(await readdir(at.folder)).toEqual([]);
});

test("a link in a folder is refused; what was installed before stays", async () => {
  const at = await places();
  const source = await writtenTo(await folder(), files());
  await install(source, at);
  await symlink(at.cwd, join(source, "way-out"), "junction");
  await expect(install(source, at)).rejects.toThrow('"package/way-out" is a link or a device');
  expect((await listModels(at)).at(-1)?.name).toBe("@mine/kitchen");
});

test("a name that nobody knows, here or there", async () => {
  const at = await places();
  await expect(install("tinylama", at)).rejects.toThrow('No model "tinylama". Did you mean "tinyllama"?');
  await expect(removeModel("kitchen", at)).rejects.toThrow(
    `No model "kitchen" is installed in ${at.folder}. Nothing is`,
  );
  await install(await writtenTo(await folder(), files({ name: "other" })), at);
  await expect(removeModel("../other", at)).rejects.toThrow("Installed there: other.");
});

test("what came with the program or a project is not removed; a folder that is no model neither", async () => {
  const at = await places();
  const own = { ...at, ownManifest: join(import.meta.dirname, "../../../../../package.json") };
  await expect(removeModel("limbeck-writer-model", own)).rejects.toThrow(
    /limbeck-writer-model was not installed by "limbeck models": it lies in .*writer-model, and stays/,
  );
  await writtenTo(join(at.folder, "notes"), { "package.json": '{"name":"notes"}' });
  await expect(removeModel("notes", at)).rejects.toThrow("No model");
  expect(await readdir(at.folder)).toEqual(["notes"]);
});

test("an installed package of Limbeck is found where neither project nor program has it", async () => {
  const at = await places();
  const wanted = { name: "limbeck-world-models", folder: "world-models", file: "package.json" };
  const find = (): string | undefined => packageFolder(wanted, at.cwd, at.ownManifest, { LIMBECK_MODELS: at.folder });
  expect(find()).toBeUndefined();
  const kept = join(at.folder, wanted.name);
  await mkdir(kept, { recursive: true });
  await cp(join(import.meta.dirname, "../../../../world-models/package.json"), join(kept, "package.json"));
  expect(find()).toBe(kept);
  expect((await listModels(at)).find(({ name }) => name === wanted.name)?.path).toBe(kept);
});
