/** What people and gates decide about a skill, each as one change with who, when and why; every one can be undone. */
import { EngineError } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import type { Library } from "./library.ts";
import type { LibrarySkill, LiftRecord, Status } from "./library-skill.ts";
import { concernsIn } from "./standing.ts";
import { decisions, inQuarantine, type DecisionId } from "./transitions.ts";

export interface Decision {
  readonly decision: DecisionId;
  readonly by: string;
  readonly why?: string;
  readonly lift?: LiftRecord;
  /** release: the concerns that the screen still finds were read and are accepted. Needs a reason. */
  readonly despite?: boolean;
}

/**
 * One decision about a skill, written into its history.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bankSkills, readBank, decide as decideOn, openLibrary } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const library = openLibrary(folder);
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * for (const skill of skills) await library.add(skill, { by: "me", action: "added" });
 * console.log((await decideOn(library, "bank-g1", { decision: "promote", by: "me" })).status); // active
 * rmSync(folder, { recursive: true });
 */
export async function decide(
  library: Library,
  name: string,
  { decision, by, why, lift, despite = false }: Decision,
): Promise<LibrarySkill> {
  const table = lookUp<Readonly<Record<Status, Status | undefined>>>(decisions, decision, "decision");
  return await library.change(name, { by, action: decision, ...(why === undefined ? {} : { why }) }, (skill) => {
    const status = table[skill.status];
    if (status === undefined) throw inQuarantine(skill, decision);
    if (status === skill.status && lift === undefined) return undefined;
    if (decision === "release") checkRelease(skill, despite, why);
    const { concerns, ...rest } = skill;
    const kept = decision === "release" || concerns === undefined ? {} : { concerns };
    return { ...rest, ...kept, status, ...(lift === undefined ? {} : { lift }) };
  });
}

/** It is screened again, as it reads now: what was edited since may be clean, and may be worse. */
function checkRelease(skill: LibrarySkill, despite: boolean, why = ""): void {
  const found = concernsIn(skill);
  if (found.length === 0 || (despite && why.trim() !== "")) return;
  throw new EngineError(
    "needs-yes",
    `Skill "${skill.name}" ${found.join("; ")}. Change its text, or release it as it is with --yes and --why.`,
    { details: { concerns: found } },
  );
}

/**
 * Undoes the last change, or goes back to a number of the history. What is in quarantine stays there.
 *
 * @example
 * import { mkdtempSync, rmSync } from "node:fs";
 * import { tmpdir } from "node:os";
 * import { join } from "node:path";
 * import { bankSkills, readBank, decide, openLibrary } from "limbeck/skill";
 *
 * const folder = mkdtempSync(join(tmpdir(), "limbeck-skills-"));
 * const library = openLibrary(folder);
 * const skills = bankSkills(readBank({ general_skills: [{ id: "g1", title: "Look", principle: "Open what is closed." }] }));
 * for (const skill of skills) await library.add(skill, { by: "me", action: "added" });
 * await decide(library, "bank-g1", { decision: "promote", by: "me" });
 * console.log((await rollBack(library, "bank-g1", { by: "me" })).status); // candidate
 * rmSync(folder, { recursive: true });
 */
export async function rollBack(
  library: Library,
  name: string,
  { by, why, to }: { readonly by: string; readonly why?: string; readonly to?: number },
): Promise<LibrarySkill> {
  const history = await library.history(name);
  const number = to ?? history.at(-2)?.number;
  if (number === undefined) {
    throw new EngineError("nothing-to-roll-back", `Skill "${name}" has had no change that could be taken back.`);
  }
  return await library.restore(name, number, {
    by,
    action: `rollback to ${number}`,
    ...(why === undefined ? {} : { why }),
  });
}
