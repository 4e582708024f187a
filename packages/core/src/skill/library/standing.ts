/**
 * What a skill's status really is. Its file may say anything: it can be edited by hand, copied from elsewhere, or be of a
 * time when the screen knew less. So a skill is read as quarantined where its last change put it there, or
 * where the screen finds something that was not released.
 */
import { textIfThere } from "limbeck-base/base/files";
import { screenSkill } from "../screen/screen.ts";
import type { Change, LibrarySkill } from "./library-skill.ts";
import { readSkillFile } from "./skill-file.ts";
import { numberedPath, numbersIn, readHistory } from "./versions.ts";

/** What the screen finds in everything of it that agents get to read. */
export function concernsIn({ text, description, when }: Pick<LibrarySkill, "text" | "description" | "when">): string[] {
  return screenSkill([text, description, ...when.goals, ...(when.words ?? [])], { goals: when.goals });
}

/** In quarantine, with these concerns beside those it has. */
export function toQuarantine<Skill extends Pick<LibrarySkill, "status" | "concerns">>(
  skill: Skill,
  concerns: readonly string[] = [],
): Skill {
  const all = [...new Set([...(skill.concerns ?? []), ...concerns])];
  return { ...skill, status: "quarantined", ...(all.length === 0 ? {} : { concerns: all }) };
}

/** The skill of a folder, as its file says, with the status that it really has. */
export async function standingOf(folder: string, skill: LibrarySkill): Promise<LibrarySkill> {
  if (skill.status === "quarantined") return skill;
  const number = (await numbersIn(folder)).at(-1);
  const path = numberedPath(folder, number ?? 0);
  const text = number === undefined ? undefined : await textIfThere(path);
  const last = text === undefined ? undefined : readSkillFile(text, path).skill;
  if (last?.status === "quarantined") return toQuarantine(skill, last.concerns);
  const found = concernsIn(skill);
  return found.length === 0 || isReleased(await readHistory(folder), skill.version)
    ? skill
    : toQuarantine(skill, found);
}

/** Whether this very version was released, and not put back since. */
export function isReleased(history: readonly Change[], version: string): boolean {
  return lastWord(history, version) === "released";
}

/** Whether this very version was in quarantine, and not released since. */
export function isHeld(history: readonly Change[], version: string): boolean {
  return lastWord(history, version) === "held";
}

function lastWord(history: readonly Change[], version: string): "released" | "held" | undefined {
  const own = history.filter((change) => change.version === version);
  const last = own.findLast(({ action, status }) => action === "release" || status === "quarantined");
  return last === undefined ? undefined : last.status === "quarantined" ? "held" : "released";
}
