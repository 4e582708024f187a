/** Extracted skills into a library: what says the same as a skill that is there becomes evidence for it. */
import type { Act, Library, NewSkill } from "../library/library.ts";
import type { LibraryEntry } from "../library/index-file.ts";
import { findContradictions, isSame, mergeSkills } from "./duplicates.ts";
import { nameFor } from "./naming.ts";

export interface Added {
  readonly name: string;
  readonly outcome: "added" | "merged" | "known";
  readonly skill: NewSkill;
}

/**
 * Adds or merges each skill, and says which of the two.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bankSkills, readBank, openLibrary } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * const added = await addSkills(openLibrary(folder), skills, { by: "me", action: "added" });
 * console.log(added.map(({ name, outcome }) => `${name} ${outcome}`)); // [ "bank-g1 added" ]
 * rmSync(folder, { recursive: true });
 */
export async function addSkills(library: Library, skills: readonly NewSkill[], act: Act): Promise<Added[]> {
  const { skills: there, problems } = await library.list();
  const names = new Set([...there, ...problems].map(({ name }) => name));
  const opposed = findContradictions(skills, there);
  const done: Added[] = [];
  for (const [at, skill] of skills.entries()) {
    const same = there.find((entry) => isSame(entry, skill));
    const against = [...new Set([...(skill.contradicts ?? []), ...(opposed[at] ?? []).map(({ name }) => name)])];
    const draft = against.length === 0 ? skill : { ...skill, contradicts: against };
    done.push(same === undefined ? await addNew(library, draft, names, act) : await merge(library, same, draft, act));
  }
  return done;
}

/** Another process may take the name first: then the skill there is looked at like any other. */
async function addNew(library: Library, skill: NewSkill, names: Set<string>, act: Act): Promise<Added> {
  for (;;) {
    const name = names.has(skill.name) ? nameFor(skill, names) : skill.name;
    const named = { ...skill, name };
    if (await library.add(named, act)) {
      names.add(name);
      return { name, outcome: "added", skill: named };
    }
    const taken = await library.read(name);
    if (isSame(taken, skill)) return await merge(library, taken, skill, act);
    names.add(name);
  }
}

async function merge(library: Library, known: Pick<LibraryEntry, "name">, skill: NewSkill, act: Act): Promise<Added> {
  let grown = false;
  const merged = await library.change(known.name, { ...act, action: "evidence" }, (now) => {
    const next = mergeSkills(now, skill);
    // Seen again without anything new, nothing is written: extracting twice leaves the library as it was.
    grown =
      JSON.stringify([next.when, next.evidence, next.concerns]) !==
      JSON.stringify([now.when, now.evidence, now.concerns]);
    return grown ? next : undefined;
  });
  return { name: known.name, outcome: grown ? "merged" : "known", skill: merged };
}
