/** The models that are known, and those that were installed: the list of `limbeck models`, and what it takes away. */
import { rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import { usageError, EngineError } from "limbeck-base/base/errors";
import { namesIfThere, statIfThere, textIfThere } from "limbeck-base/base/files";
import { parseJson } from "limbeck-base/base/json";
import { OWN_MANIFEST } from "limbeck-base/base/own-place";
import { keptFolder, packageFolder } from "limbeck-base/base/package-folder";
import { writingBeside } from "limbeck-base/base/writing-names";
import { filePackage, modelPackages } from "../starts.ts";
import { keptModel, knownModels, type KnownModel } from "./fetch-model.ts";

type OwnName = keyof typeof modelPackages;

const fetched: Readonly<Record<string, KnownModel>> = knownModels;
/** Of every package of ours. */
export const OUR_LICENCE = "Apache-2.0";
/** Names in a folder of models, or files in a package. */
export const MOST_ENTRIES = 1_000;

export function isOurs(name: string): name is OwnName {
  return Object.hasOwn(modelPackages, name);
}

const packageCard = z.object({
  name: z.string().refine((name) => keptFolder("", name) !== undefined),
  description: z.string().catch(""),
  license: z.string().catch("none"),
  /** SHA-256 by file. */
  weights: z.record(z.string(), z.string().regex(/^[\da-f]{64}$/)).refine((weights) => Object.keys(weights).length > 0),
});

export type PackageCard = z.infer<typeof packageCard>;

/** What the package.json of a model says; undefined where it is none. */
export function readCard(text: string | undefined): PackageCard | undefined {
  return packageCard.safeParse(parseJson(text ?? "")).data;
}

export interface ModelPlaces {
  /** The folder of models. */
  readonly folder: string;
  /** Where names and packages of a project are looked for. */
  readonly cwd: string;
  /** The package.json of this package. */
  readonly ownManifest?: string;
}

export interface ListedModel {
  readonly name: string;
  readonly about: string;
  readonly licence: string;
  /** Of its weights. */
  readonly bytes: number;
  /** Null where it is not here. */
  readonly path: string | null;
}

/** Those that come with Limbeck, those that npm brings, and those of others that were installed. */
export async function listModels(places: ModelPlaces): Promise<ListedModel[]> {
  const listed: ListedModel[] = [];
  for (const [name, { about, bytes }] of Object.entries(modelPackages)) {
    listed.push({ name, about, licence: OUR_LICENCE, bytes, path: placeOf(name as OwnName, places) ?? null });
  }
  for (const [name, model] of Object.entries(fetched)) {
    const { about, licence, bytes } = model;
    listed.push({ name, about, licence, bytes, path: (await keptModel(model, places.folder, false)) ?? null });
  }
  for (const entry of ((await namesIfThere(places.folder)) ?? []).slice(0, MOST_ENTRIES)) {
    const path = join(places.folder, entry);
    const card = readCard(await textIfThere(join(path, "package.json")));
    if (card === undefined || isOurs(card.name)) continue;
    const { name, description: about, license: licence, weights } = card;
    let bytes = 0;
    for (const file of Object.keys(weights)) bytes += (await statIfThere(join(path, file)))?.size ?? 0;
    listed.push({ name, about, licence, bytes, path });
  }
  return listed;
}

/** Of a package of ours, wherever it is. */
export function placeOf(name: OwnName, { folder, cwd, ownManifest = OWN_MANIFEST }: ModelPlaces): string | undefined {
  return packageFolder(filePackage(name), cwd, ownManifest, { LIMBECK_MODELS: folder });
}

/** Takes away what was installed; what comes with Limbeck or a project stays. */
export async function removeModel(name: string, places: ModelPlaces): Promise<string> {
  const { folder } = places;
  const file = Object.hasOwn(fetched, name) ? fetched[name]?.file : undefined;
  const path = file === undefined ? keptFolder(folder, name) : join(folder, file);
  const isKept =
    path !== undefined &&
    (file === undefined
      ? readCard(await textIfThere(join(path, "package.json")))?.name === name
      : (await statIfThere(path)) !== undefined);
  if (isKept) {
    // Under another name first: a stop leaves no half of it.
    const leaving = writingBeside(path);
    await rename(path, leaving);
    await rm(leaving, { recursive: true, force: true });
    return path;
  }
  const elsewhere = isOurs(name) ? placeOf(name, places) : undefined;
  if (elsewhere !== undefined) {
    throw usageError(
      `${name} was not installed by "limbeck models": it lies in ${elsewhere}, and stays. What npm installed into a project goes with npm uninstall ${name}.`,
      { name, path: elsewhere },
    );
  }
  const known = (await listModels(places)).flatMap((one) => (dirname(one.path ?? "") === folder ? [one.name] : []));
  const rest = known.length === 0 ? "Nothing is installed there." : `Installed there: ${known.join(", ")}.`;
  throw new EngineError("unknown-name", `No model ${JSON.stringify(name)} is installed in ${folder}. ${rest}`, {
    details: { name, known },
  });
}
