/**
 * What people say of a run: tags, a note, pinned, archived. It lies beside what was recorded, in `labels/` of the run's
 * folder, and never touches it. Each change is a file with the next number, which is created once, whoever tries; a
 * change of what is no longer the newest is refused, so that nobody overwrites what he has not seen.
 */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, errorCode } from "../../base/index.ts";
import { isObjectAddress } from "../../base/object-address.ts";
import { createFile, namesIn, stampOf } from "../../skill/library/folder-files.ts";
import { labels as schema, NO_LABELS, type LabelChange, type Labels } from "../api/labels.ts";

export interface LabelShelf {
  /** What is said of a run now; nothing where nobody has said anything. */
  read(run: string): Promise<Labels>;
  change(run: string, change: LabelChange): Promise<Labels>;
}

const FOLDER = "labels";
/** Numbers that are kept, so that one can see what was said before. */
const KEPT = 20;
const SETTLED_MS = 2_000;

export function createLabelShelf(root: string): LabelShelf {
  const known = new Map<string, { readonly stamp: string; readonly labels: Labels }>();
  const read = async (run: string): Promise<Labels> => {
    if (isObjectAddress(root)) return NO_LABELS;
    const stamp = await stampOf(join(root, run, FOLDER));
    if (stamp === "") return NO_LABELS;
    const held = known.get(run);
    if (held?.stamp === stamp) return held.labels;
    const labels = await readNewest(join(root, run, FOLDER));
    // Clocks of file systems tick slowly: a folder that changed just now may change again without another time.
    if (Date.now() - Number(stamp.split(" ")[0]) > SETTLED_MS) known.set(run, { stamp, labels });
    return labels;
  };
  return {
    read,
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
