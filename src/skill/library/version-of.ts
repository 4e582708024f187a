/** Content hashes: the version of a skill. */
import { createHash } from "node:crypto";
import type { LibraryLevel, When } from "./library-skill.ts";

const LENGTH = 16;

export function versionOf(skill: { readonly level: LibraryLevel; readonly text: string; readonly when: When }): string {
  const { goals, words = [], state = "" } = skill.when;
  return hashOf(JSON.stringify([skill.level, skill.text.trim(), goals, words, state]));
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, LENGTH);
}
