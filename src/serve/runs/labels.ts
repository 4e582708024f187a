/**
 * What people say of a run: tags, a note, pinned, archived. It lies beside what was recorded, in `labels/` of the run's
 * folder, and never touches it. Each change is a file with the next number, which is created once, however many try; a
 * change of what is no longer the newest is refused, so that no unseen change is overwritten.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, errorCode, mapLimit } from "../../base/index.ts";
import { isObjectAddress } from "../../base/object-address.ts";
import { isSettled, stampsOf, type Stamp } from "../../base/stamps.ts";
import { createFile, namesIn } from "../../skill/library/folder-files.ts";
import { labels as schema, NO_LABELS, type LabelChange, type Labels } from "../api/labels.ts";

export interface LabelShelf {
  /** What is said of a run now; nothing where there are no labels. */
  read(run: string): Promise<Labels>;
  /** The same of many runs, in their order. */
  readAll(runs: readonly string[]): Promise<Labels[]>;
  change(run: string, change: LabelChange): Promise<Labels>;
}

const FOLDER = "labels";
/** Numbers that are kept, so that one can see what was said before. */
const KEPT = 20;
const READS_AT_ONCE = 8;
const MANY = 200;
const LOOK_AGAIN_MS = 2_000;
const LOOKS = 10;

export function createLabelShelf(root: string): LabelShelf {
  const known = new Map<string, { readonly stamp: string; readonly labels: Labels }>();
  const labelsAt = async (run: string, stamp: Stamp): Promise<Labels> => {
    const held = known.get(run);
    if (held?.stamp === stamp.text) return held.labels;
    const labels = await readNewest(join(root, run, FOLDER));
    if (isSettled(stamp)) known.set(run, { stamp: stamp.text, labels });
    return labels;
  };
  /** Of many runs the folders are looked at now and then; what is said here is known at once. */
  let looked = { at: Number.NEGATIVE_INFINITY, tookMs: 0, stamps: new Map<string, Stamp | undefined>() };
  const foldersOf = async (runs: readonly string[]): Promise<(Stamp | undefined)[]> => {
    const begun = performance.now();
    const isFresh = begun - looked.at < Math.max(LOOK_AGAIN_MS, looked.tookMs * LOOKS);
    if (runs.length >= MANY && isFresh && runs.every((run) => looked.stamps.has(run))) {
      return runs.map((run) => looked.stamps.get(run));
    }
    const stamps = await stampsOf(runs.map((run) => join(root, run, FOLDER)));
    if (runs.length >= MANY) {
      const byRun = new Map(runs.map((run, at) => [run, stamps[at]]));
      looked = { at: begun, tookMs: performance.now() - begun, stamps: byRun };
    }
    return stamps;
  };
  const readAll = async (runs: readonly string[]): Promise<Labels[]> => {
    if (isObjectAddress(root)) return runs.map(() => NO_LABELS);
    const stamps = await foldersOf(runs);
    const labels = runs.map(() => NO_LABELS);
    // Most runs have no labels.
    const labelled = stamps.flatMap((stamp, at) => (stamp === undefined ? [] : [{ at, stamp }]));
    await mapLimit(labelled, READS_AT_ONCE, async ({ at, stamp }) => {
      labels[at] = await labelsAt(runs[at] ?? "", stamp);
    });
    return labels;
  };
  return {
    read: async (run) => (await readAll([run]))[0] ?? NO_LABELS,
    readAll,
    change: async (run, { version, ...said }) => {
      if (isObjectAddress(root)) {
        const wayOut = "Copy the run to a folder (limbeck runs copy) to label it";
        throw new EngineError(
          "needs-unmet",
          `Labels lie in a folder, and these runs are on object storage. ${wayOut}.`,
        );
      }
      const folder = join(root, run, FOLDER);
      const now = await readNewest(folder);
      const next = schema.parse({ ...now, ...said, tags: tidy(said.tags ?? now.tags), version: version + 1 });
      const isNewest = version === now.version;
      if (!isNewest || !(await createFile(join(folder, nameOf(next.version)), `${JSON.stringify(next)}\n`))) {
        throw new EngineError(
          "labels-changed",
          "Somebody else has labelled this run meanwhile. Look, and say it again.",
          {
            details: { run },
          },
        );
      }
      looked.at = Number.NEGATIVE_INFINITY;
      await forget(folder, next.version - KEPT);
      return next;
    },
  };
}

/** In the order of the alphabet, each once. */
function tidy(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ""))].toSorted();
}

function nameOf(version: number): string {
  return `${String(version).padStart(8, "0")}.json`;
}

async function readNewest(folder: string): Promise<Labels> {
  const names = (await namesIn(folder)).filter((name) => /^\d{8}\.json$/.test(name)).toSorted();
  for (const name of names.reverse()) {
    const number = Number(name.slice(0, 8));
    try {
      const found = schema.safeParse(JSON.parse(await readFile(join(folder, name), "utf8")));
      if (found.success) return { ...found.data, version: number };
    } catch (error) {
      if (!(error instanceof SyntaxError) && errorCode(error) !== "ENOENT") throw error;
    }
    // What somebody broke by hand says nothing; its number stays taken.
    return { ...NO_LABELS, version: number };
  }
  return NO_LABELS;
}

async function forget(folder: string, last: number): Promise<void> {
  const old = (await namesIn(folder)).filter((name) => /^\d{8}\.json$/.test(name) && Number(name.slice(0, 8)) <= last);
  await Promise.all(old.map((name) => rm(join(folder, name), { force: true })));
}
