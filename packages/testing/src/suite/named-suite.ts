/** A suite as a person names it: one that comes with Limbeck, a public set with its folder, or a file. */
import { resolve } from "node:path";
import { usageError } from "limbeck-base/base/errors";
import { isThere } from "limbeck-base/base/files";
import { unknownName } from "limbeck-base/base/registry";
import type { Demonstrator } from "limbeck-core/env/expert";
import type { MadeSuite } from "./own/made-suite.ts";
import { ownSuites } from "./own/registry.ts";
import { publicSets } from "./sets/registry.ts";
import type { PublicSet } from "./sets/set.ts";
import { readSuiteFile } from "./suite-file.ts";
import { readSuite, type Suite, type SuiteInput } from "./suite.ts";

export interface NamedSuite {
  readonly suite: Suite;
  /** What "$data" stands for in it. */
  readonly data: string | undefined;
  /** Who can be asked beside those of its worlds. */
  readonly scripts?: Readonly<Record<string, Demonstrator>>;
}

/** Every suite by name, for lists. */
export function suiteNames(): readonly { readonly id: string; readonly meaning: string; readonly from?: string }[] {
  const own = Object.entries<SuiteInput | MadeSuite>(ownSuites).map(([id, { meaning = "" }]) => ({ id, meaning }));
  return [...own, ...Object.values<PublicSet>(publicSets).map(({ id, meaning, from }) => ({ id, meaning, from }))];
}

export async function namedSuite(name: string, folder: string | undefined, cwd: string): Promise<NamedSuite> {
  const data = folder === undefined ? undefined : resolve(cwd, folder);
  if (Object.hasOwn(ownSuites, name)) {
    if (data !== undefined) throw usageError(`--data is for a public set or a file; ${name} comes with its tasks.`);
    const own: SuiteInput | MadeSuite = ownSuites[name as keyof typeof ownSuites];
    if (!("make" in own)) return { suite: readSuite(own, name), data };
    return { suite: readSuite(await own.make(), name), data, scripts: own.scripts ?? {} };
  }
  if (Object.hasOwn(publicSets, name)) {
    const set: PublicSet = publicSets[name as keyof typeof publicSets];
    if (data === undefined)
      throw usageError(
        `${name} is a public set: name the folder where it lies with --data DIR. It is from ${set.from}.`,
      );
    return { suite: readSuite(await set.load(data), name), data };
  }
  if (/\.(?:ya?ml|json)$/i.test(name) || (await isThere(resolve(cwd, name))))
    return { suite: await readSuiteFile(name, cwd), data };
  throw unknownName(
    name,
    suiteNames().map(({ id }) => id),
    "suite",
  );
}

/** Only so many of its tasks, spread evenly over it; the digest of what is left is another one. */
export function someOf(suite: Suite, count: number | undefined): Suite {
  const { length } = suite.tasks;
  if (count === undefined || count >= length) return suite;
  const { frozen: _frozen, ...rest } = suite;
  const at = Array.from({ length: count }, (_, index) => Math.floor((index * length) / count));
  return { ...rest, tasks: at.flatMap((index) => suite.tasks[index] ?? []) };
}
