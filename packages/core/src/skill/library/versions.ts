/** The numbered files of a skill: what it was after each change. */
import { join } from "node:path";
import { textIfThere } from "limbeck-base/base/files";
import { namesIn } from "./folder-files.ts";
import type { Change } from "./library-skill.ts";
import { hashOf, readSkillFile } from "./skill-file.ts";

export function numberedPath(folder: string, number: number): string {
  return join(folder, "versions", `${String(number).padStart(6, "0")}.md`);
}

/** In order. */
export async function numbersIn(folder: string): Promise<number[]> {
  return (await namesIn(join(folder, "versions")))
    .flatMap((file) => (/^\d{6}\.md$/.test(file) ? [Number(file.slice(0, 6))] : []))
    .sort((one, other) => one - other);
}

/** Of the texts of the first numbers. */
export async function hashesUpTo(folder: string, most: number): Promise<Set<string>> {
  const found = new Set<string>();
  for (let number = 1; number <= most; number += 1) {
    const text = await textIfThere(numberedPath(folder, number));
    if (text !== undefined) found.add(hashOf(text));
  }
  return found;
}

/** Oldest first. */
export async function readHistory(folder: string): Promise<Change[]> {
  const changes: Change[] = [];
  for (const number of await numbersIn(folder)) {
    const path = numberedPath(folder, number);
    const text = await textIfThere(path);
    if (text === undefined) continue;
    const { skill, change: made } = readSkillFile(text, path);
    const facts = made ?? { at: "", by: "unknown", action: "unknown" };
    changes.push({ ...facts, number, status: skill.status, version: skill.version });
  }
  return changes;
}
