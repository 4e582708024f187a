/**
 * A library of skills: a folder with one folder for each, in plain files.
 *
 *   NAME/SKILL.md             the skill as it is now; may be edited by hand
 *   NAME/versions/000003.md   what it was after its third change, with who, when and why
 *   NAME/uses.jsonl           uses, one a line
 *   index.json                saves time; derived
 *
 * No locks: a change is the next number, which only one of several writers can create; the others look again and do
 * their change on top. A file edited by hand becomes a number of its own before the next change. Quarantine is left by a
 * release alone: see `transitions.ts` and `standing.ts`.
 */
import { join } from "node:path";
import { EngineError, replaceFile, unknownName } from "../../base/index.ts";
import { textIfThere } from "../../base/files.ts";
import { appendLine, createFile } from "./folder-files.ts";
import { newUses } from "./statistics.ts";
import { listFolder, readFolder, type Listing } from "./index-file.ts";
import type { Change, LibrarySkill, Use } from "./library-skill.ts";
import { LONGEST_NAME, readSkillFile, writeSkillFile, type SkillFile } from "./skill-file.ts";
import { concernsIn, held, isHeld, standingOf } from "./standing.ts";
import { checkTransition } from "./transitions.ts";
import { hashOf, versionOf } from "./version-of.ts";
import { numberedPath, numbersIn, readHistory } from "./versions.ts";

/** Who changes something, and why. */
export interface Act {
  readonly by: string;
  readonly action: string;
  readonly why?: string;
}

export type NewSkill = Omit<LibrarySkill, "version">;

export interface Library {
  readonly root: string;
  list(): Promise<Listing>;
  /** With its statistics as of now. */
  read(name: string): Promise<LibrarySkill>;
  /** Oldest first; the last line is the present state unless the file was edited by hand since. */
  history(name: string): Promise<Change[]>;
  /** The skill as it was after a change, by number. */
  versionAt(name: string, number: number): Promise<LibrarySkill>;
  /** False where the name is taken. */
  add(skill: NewSkill, act: Act): Promise<boolean>;
  /**
   * Reads, edits, writes; again from the start when somebody else wrote in between, so `edit` must be pure. Undefined
   * from `edit`: nothing is written.
   */
  change(name: string, act: Act, edit: (skill: LibrarySkill) => NewSkill | undefined): Promise<LibrarySkill>;
  /** Puts an earlier number back, also where the present file cannot be read; that file is kept among the versions. */
  restore(name: string, number: number, act: Act): Promise<LibrarySkill>;
  /** Adds to the log of uses. One of a stored trajectory that is there with the same outcome is left out. Gives how many are new. */
  report(name: string, uses: Use | readonly Use[]): Promise<number>;
}

export interface LibraryOptions {
  /** The time of day, ISO 8601 in UTC. Default: the machine's. */
  readonly date?: () => string;
}

/** Writers that lose a race this often in a row are not unlucky. */
const MOST_TRIES = 200;

/**
 * Opens a folder as a library; it need not exist yet.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bankSkills, readBank } from "limbeck/skill/bank";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const library = openLibrary(folder);
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * for (const skill of skills) await library.add(skill, { by: "me", action: "added" });
 * console.log((await library.read("bank-g1")).text); // Look: Open what is closed.
 * rmSync(folder, { recursive: true });
 */
export function openLibrary(root: string, { date = () => new Date().toISOString() }: LibraryOptions = {}): Library {
  const folder = (name: string): string => join(root, checkName(name));
  const present = (name: string): string => join(folder(name), "SKILL.md");
  const numbered = (name: string, number: number): string => numberedPath(folder(name), number);
  const numbers = (name: string): Promise<number[]> => numbersIn(folder(name));

  const missing = async (name: string): Promise<EngineError> => {
    const { skills, problems } = await listFolder(root);
    return unknownName(name, [...skills, ...problems].map((entry) => entry.name).slice(0, 200), "skill");
  };

  /** The newest number stands in SKILL.md when this returns, whoever wrote it. */
  const publish = async (name: string): Promise<void> => {
    for (let last = (await numbers(name)).at(-1); last !== undefined;) {
      const text = await textIfThere(numbered(name, last));
      if (text !== undefined) await replaceFile(present(name), text);
      const newest = (await numbers(name)).at(-1);
      if (newest === last) return;
      last = newest;
    }
  };

  /** Text and number to build on. A hand edit comes first as a number of its own. */
  const base = async (name: string): Promise<{ readonly text: string; readonly number: number }> => {
    const number = (await numbers(name)).at(-1) ?? 0;
    const [text, last] = [await textIfThere(present(name)), await textIfThere(numbered(name, number))];
    if (last === undefined) {
      if (text === undefined) throw await missing(name);
      return { text, number: 0 };
    }
    if (text === undefined || text === last) return { text: last, number };
    // An older number in SKILL.md is a writer that was stopped half-way; anything else was written by a person.
    if ((await known(name, number)).has(hashOf(text))) return { text: last, number };
    return { text, number };
  };

  const known = async (name: string, upTo: number): Promise<Set<string>> => {
    const found = new Set<string>();
    for (let number = 1; number <= upTo; number += 1) {
      const text = await textIfThere(numbered(name, number));
      if (text !== undefined) found.add(hashOf(text));
    }
    return found;
  };

  const write = (name: string, number: number, file: Required<SkillFile>): Promise<boolean> =>
    createFile(numbered(name, number), writeSkillFile(file));

  const change: Library["change"] = async (name, act, edit) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { text, number } = await base(name);
      const skill = await standingOf(folder(name), readSkillFile(text, present(name)).skill);
      const edited = number > 0 && text !== (await textIfThere(numbered(name, number)));
      if (number === 0 || edited) {
        // Whoever loses the race for the number looks again.
        const hand = { by: "hand", action: number === 0 ? "added" : "edited", at: date(), number: number + 1 };
        if (await write(name, number + 1, { skill: { ...skill, name }, change: hand })) await publish(name);
        continue;
      }
      const next = edit({ ...skill, name, statistics: (await statistics(name)) ?? skill.statistics });
      if (next === undefined) return { ...skill, name };
      checkTransition({ ...skill, name }, next, act.action);
      const whole = { ...next, name, version: versionOf(next) };
      if (!(await write(name, number + 1, { skill: whole, change: { ...act, at: date(), number: number + 1 } })))
        continue;
      await publish(name);
      return whole;
    }
    throw new EngineError("library-busy", `Skill "${name}" is being changed by others without a pause; try again.`);
  };

  const statistics = async (name: string): Promise<LibrarySkill["statistics"] | undefined> =>
    // A skill that cannot be read has no statistics; whoever reads it is told why.
    (await readFolder(root, name).catch(() => undefined))?.statistics;

  const versionAt: Library["versionAt"] = async (name, number) => {
    const text = await textIfThere(numbered(name, number));
    if (text !== undefined) return { ...readSkillFile(text, numbered(name, number)).skill, name };
    const there = await numbers(name);
    if (there.length === 0) throw await missing(name);
    throw unknownName(String(number), there.map(String), `version of "${name}"`);
  };

  return {
    root,
    list: () => listFolder(root),
    read: async (name) => {
      const skill = await readFolder(root, checkName(name));
      if (skill !== undefined) return skill;
      // Another process has just created it and not published it yet.
      const last = (await numbers(name)).at(-1);
      if (last === undefined) throw await missing(name);
      return await standingOf(folder(name), await versionAt(name, last));
    },
    history: async (name) => {
      const changes = await readHistory(folder(name));
      if (changes.length === 0 && (await textIfThere(present(name))) === undefined) throw await missing(name);
      return changes;
    },
    versionAt,
    add: async (skill, act) => {
      const concerns = concernsIn(skill);
      const whole = { ...(concerns.length === 0 ? skill : held(skill, concerns)), version: versionOf(skill) };
      // A skill that a person put there has no numbers yet; its name is taken too.
      if ((await textIfThere(present(skill.name))) !== undefined) return false;
      if (!(await write(skill.name, 1, { skill: whole, change: { ...act, at: date(), number: 1 } }))) return false;
      await publish(skill.name);
      return true;
    },
    change,
    restore: async (name, number, act) => {
      const old = await versionAt(name, number);
      const text = await textIfThere(present(name));
      const last = (await numbers(name)).at(-1) ?? number;
      if (text !== undefined && text !== (await textIfThere(numbered(name, last))) && !isReadable(text)) {
        await createFile(join(folder(name), "versions", `unreadable-${hashOf(text)}.md`), text);
        await publish(name);
      }
      const stays = isHeld(await readHistory(folder(name)), old.version);
      return await change(name, act, ({ status, concerns, statistics: seen }) => {
        const back = { ...old, statistics: seen };
        return stays || status === "quarantined" ? held(back, concerns) : back;
      });
    },
    report: async (name, uses) => {
      if ((await textIfThere(present(name))) === undefined) throw await missing(name);
      const path = join(folder(name), "uses.jsonl");
      const fresh = newUses("offered" in uses ? [uses] : uses, (await textIfThere(path)) ?? "");
      for (const use of fresh) await appendLine(path, use);
      return fresh.length;
    },
  };
}

function isReadable(text: string): boolean {
  try {
    readSkillFile(text, "");
    return true;
  } catch {
    // Not to be read: not a whole skill.
    return false;
  }
}

/** A name is a folder name and comes from anywhere: nothing else may be made of it. */
function checkName(name: string): string {
  if (/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name) && name.length <= LONGEST_NAME) return name;
  const shown = JSON.stringify(name.slice(0, 80));
  throw new EngineError(
    "bad-skill-name",
    `${shown} is no name of a skill: lower-case words and digits joined by hyphens, ${LONGEST_NAME} letters at most.`,
  );
}
