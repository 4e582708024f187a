/**
 * The list of a library. `index.json` only saves time: what it says of a skill counts while the skill's files are as they
 * were, and it may be deleted at any time.
 */
import { join } from "node:path";
import { z } from "zod";
import { mapLimit } from "limbeck-base/base/concurrency";
import { replaceFile, textIfThere } from "limbeck-base/base/files";
import { namesIn, stampOf } from "./folder-files.ts";
import type { LibrarySkill } from "./library-skill.ts";
import { readSkillFile } from "./skill-file.ts";
import { standingOf } from "./standing.ts";
import { foldUses, readUses } from "./statistics.ts";

/** A skill in a list: everything but its links, which can be many. */
export type LibraryEntry = Omit<LibrarySkill, "evidence"> & { readonly links: number };

/** A file that cannot be read as a skill. It is left as it is. */
export interface LibraryProblem {
  readonly name: string;
  readonly path: string;
  readonly problem: string;
}

export interface Listing {
  readonly skills: readonly LibraryEntry[];
  readonly problems: readonly LibraryProblem[];
}

/** Counts up with what a status is made of: what the screen knew before does not count. */
const FORMAT = 2;
const AT_ONCE = 32;

type Row = { readonly name: string; readonly stamp: string } & (
  | { readonly entry: LibraryEntry }
  | { readonly problem: string }
);

const IndexSchema = z.object({
  format: z.literal(FORMAT),
  rows: z.array(z.looseObject({ name: z.string(), stamp: z.string() })),
});

/** By name. Skills that are new or changed since the index was written are read anew. */
export async function listFolder(root: string): Promise<Listing> {
  const path = join(root, "index.json");
  const known = await readIndex(path);
  const names = (await namesIn(root)).filter((name) => name !== "index.json").sort();
  let fresh = 0;
  const rows = await mapLimit(names, AT_ONCE, async (name): Promise<Row | undefined> => {
    const stamps = await Promise.all(
      ["SKILL.md", "uses.jsonl", "versions"].map((file) => stampOf(join(root, name, file))),
    );
    if (stamps[0] === "") return undefined;
    const stamp = stamps.join(" ");
    const before = known.get(name);
    if (before?.stamp === stamp) return before;
    fresh += 1;
    return await readRow(root, name, stamp);
  });
  const present = rows.filter((row) => row !== undefined);
  // A library that may only be read is listed all the same.
  if (fresh > 0 || present.length !== known.size) await writeIndex(path, present).catch(() => undefined);
  return {
    skills: present.flatMap((row) => ("entry" in row ? [row.entry] : [])),
    problems: present.flatMap((row) =>
      "problem" in row ? [{ name: row.name, path: join(root, row.name, "SKILL.md"), problem: row.problem }] : [],
    ),
  };
}

async function readRow(root: string, name: string, stamp: string): Promise<Row | undefined> {
  try {
    const skill = await readFolder(root, name);
    if (skill === undefined) return undefined;
    const { evidence, ...entry } = skill;
    return { name, stamp, entry: { ...entry, links: evidence.length } };
  } catch (error) {
    return { name, stamp, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The skill as it is now; undefined where there is none. The folder's name counts, whatever the file says. */
export async function readFolder(root: string, name: string): Promise<LibrarySkill | undefined> {
  const path = join(root, name, "SKILL.md");
  const text = await textIfThere(path);
  if (text === undefined) return undefined;
  const skill = await standingOf(join(root, name), readSkillFile(text, path).skill);
  const uses = await textIfThere(join(root, name, "uses.jsonl"));
  return { ...skill, name, ...(uses === undefined ? {} : { statistics: foldUses(readUses(uses)) }) };
}

async function readIndex(path: string): Promise<Map<string, Row>> {
  // The index only saves time: without it every skill is read.
  const text = await textIfThere(path).catch(() => undefined);
  if (text === undefined) return new Map();
  try {
    const parsed = IndexSchema.safeParse(JSON.parse(text));
    // Our own file: rows are what `readRow` made. Edited by hand, it may as well be deleted.
    return new Map(parsed.success ? parsed.data.rows.map((row) => [row.name, row as unknown as Row]) : []);
  } catch {
    return new Map();
  }
}

async function writeIndex(path: string, rows: readonly Row[]): Promise<void> {
  await replaceFile(path, `${JSON.stringify({ format: FORMAT, rows })}\n`);
}
