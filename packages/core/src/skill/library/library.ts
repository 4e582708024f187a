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
import { EngineError } from "limbeck-base/base/errors";
import { replaceFile, textIfThere } from "limbeck-base/base/files";
import { unknownName } from "limbeck-base/base/registry";
import { appendLine, createFile } from "./folder-files.ts";
import { newUses } from "./statistics.ts";
import { listFolder, readFolder, type Listing } from "./index-file.ts";
import type { Change, LibrarySkill, Use } from "./library-skill.ts";
import { hashOf, LONGEST_NAME, readSkillFile, type SkillFile, versionOf, writeSkillFile } from "./skill-file.ts";
import { concernsIn, toQuarantine, isHeld, standingOf } from "./standing.ts";
import { checkTransition } from "./transitions.ts";
import { hashesUpTo, numberedPath, numbersIn, readHistory } from "./versions.ts";

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
   * Reads, edits, writes; again from the start when another process wrote in between, so `edit` must be pure. Undefined
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
 * import { bankSkills, readBank } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const library = openLibrary(folder);
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * for (const skill of skills) await library.add(skill, { by: "me", action: "added" });
 * console.log((await library.read("bank-g1")).text); // Look: Open what is closed.
 * rmSync(folder, { recursive: true });
 */
export function openLibrary(root: string, { date = () => new Date().toISOString() }: LibraryOptions = {}): Library {
  const files = skillFiles(root);
  const { folder, presentText, missing, numbers, versionAt, write, publish } = files;
  const change = changer(files, date);
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
      if (changes.length === 0 && (await presentText(name)) === undefined) throw await missing(name);
      return changes;
    },
    versionAt,
    add: async (skill, act) => {
      const concerns = concernsIn(skill);
      const whole = { ...(concerns.length === 0 ? skill : toQuarantine(skill, concerns)), version: versionOf(skill) };
      // A skill that a person put there has no numbers yet; its name is taken too.
      if ((await presentText(skill.name)) !== undefined) return false;
      if (!(await write(skill.name, { skill: whole, change: { ...act, at: date(), number: 1 } }))) return false;
      await publish(skill.name);
      return true;
    },
    change,
    restore: async (name, number, act) => {
      const old = await versionAt(name, number);
      await files.keepUnreadable(name, number);
      const stays = isHeld(await readHistory(folder(name)), old.version);
      return await change(name, act, ({ status, concerns, statistics: seen }) => {
        const back = { ...old, statistics: seen };
        return stays || status === "quarantined" ? toQuarantine(back, concerns) : back;
      });
    },
    report: async (name, uses) => {
      if ((await presentText(name)) === undefined) throw await missing(name);
      const path = join(folder(name), "uses.jsonl");
      const fresh = newUses("offered" in uses ? [uses] : uses, (await textIfThere(path)) ?? "");
      for (const use of fresh) await appendLine(path, use);
      return fresh.length;
    },
  };
}

/** The files of a library's skills: the present one of each, and its numbers. */
function skillFiles(root: string) {
  const folder = (name: string): string => join(root, checkName(name));
  const present = (name: string): string => join(folder(name), "SKILL.md");
  const presentText = (name: string): Promise<string | undefined> => textIfThere(present(name));
  const numbers = (name: string): Promise<number[]> => numbersIn(folder(name));
  const numbered = (name: string, number: number): string => numberedPath(folder(name), number);
  const textAt = (name: string, number: number): Promise<string | undefined> => textIfThere(numbered(name, number));

  const missing = async (name: string): Promise<EngineError> => {
    const { skills, problems } = await listFolder(root);
    return unknownName(name, [...skills, ...problems].map((entry) => entry.name).slice(0, 200), "skill");
  };

  /** The newest number stands in SKILL.md when this returns, whichever writer made it. */
  const publish = async (name: string): Promise<void> => {
    for (let last = (await numbers(name)).at(-1); last !== undefined;) {
      const text = await textAt(name, last);
      if (text !== undefined) await replaceFile(present(name), text);
      const newest = (await numbers(name)).at(-1);
      if (newest === last) return;
      last = newest;
    }
  };

  /** Text and number to build on. A hand edit comes first as a number of its own. */
  const newest = async (name: string): Promise<{ readonly text: string; readonly number: number }> => {
    const number = (await numbers(name)).at(-1) ?? 0;
    const [text, last] = [await presentText(name), await textAt(name, number)];
    if (last === undefined) {
      if (text === undefined) throw await missing(name);
      return { text, number: 0 };
    }
    // An older number in SKILL.md is a writer that was stopped half-way; anything else was written by a person.
    const isOld = text === undefined || text === last || (await hashesUpTo(folder(name), number)).has(hashOf(text));
    return { text: isOld ? last : text, number };
  };

  const write = (name: string, file: Required<SkillFile>): Promise<boolean> =>
    createFile(numbered(name, file.change.number), writeSkillFile(file));

  const versionAt = async (name: string, number: number): Promise<LibrarySkill> => {
    const text = await textAt(name, number);
    if (text !== undefined) return { ...readSkillFile(text, numbered(name, number)).skill, name };
    const there = await numbers(name);
    if (there.length === 0) throw await missing(name);
    throw unknownName(String(number), there.map(String), `version of "${name}"`);
  };

  /** A present file that is no number and cannot be read goes among the versions. */
  const keepUnreadable = async (name: string, number: number): Promise<void> => {
    const text = await presentText(name);
    const last = (await numbers(name)).at(-1) ?? number;
    if (text === undefined || text === (await textAt(name, last)) || isReadable(text)) return;
    await createFile(join(folder(name), "versions", `unreadable-${hashOf(text)}.md`), text);
    await publish(name);
  };

  return {
    root,
    folder,
    present,
    presentText,
    numbers,
    textAt,
    missing,
    publish,
    newest,
    write,
    versionAt,
    keepUnreadable,
  };
}

/** Changes as the next number of a skill, tried again where another writer was first. */
function changer(files: ReturnType<typeof skillFiles>, date: () => string): Library["change"] {
  const { root, folder, present, textAt, publish, newest, write } = files;
  return async (name, act, edit) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { text, number } = await newest(name);
      const skill = { ...(await standingOf(folder(name), readSkillFile(text, present(name)).skill)), name };
      const stamp = () => ({ at: date(), number: number + 1 });
      if (number === 0 || text !== (await textAt(name, number))) {
        // The writer that loses the race for the number looks again.
        const hand = { by: "hand", action: number === 0 ? "added" : "edited", ...stamp() };
        if (await write(name, { skill, change: hand })) await publish(name);
        continue;
      }
      // A skill that cannot be read has no statistics; reading it gives the reason.
      const counted = (await readFolder(root, name).catch(() => undefined))?.statistics;
      const next = edit({ ...skill, statistics: counted ?? skill.statistics });
      if (next === undefined) return skill;
      checkTransition(skill, next, act.action);
      const whole = { ...next, name, version: versionOf(next) };
      if (!(await write(name, { skill: whole, change: { ...act, ...stamp() } }))) continue;
      await publish(name);
      return whole;
    }
    throw new EngineError("library-busy", `Skill "${name}" is being changed by others without a pause; try again.`);
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
