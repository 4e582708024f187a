/** What an installation would write, shown and asked about, and then written. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { askFirst } from "limbeck-base/base/ask-first";
import { diffText } from "limbeck-base/base/diff";
import { EngineError, usageError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Context } from "limbeck-base/base/operation";
import { plural } from "limbeck-base/base/units";
import { createRedactor } from "limbeck-recorder/redact";
import { isInUse } from "limbeck-recorder/selection/offered-skill";
import { givenLibrary, type Place } from "../library/given-library.ts";
import type { Library } from "../library/library.ts";
import type { LibrarySkill } from "../library/library-skill.ts";
import { agents, type Where } from "./agents.ts";
import type { InstallContext, InstallInput, UninstallInput } from "../skills.inputs.ts";
import { applyChanges, type FileChange } from "./installed.ts";
import { isProven, planInstall, planUninstall } from "./plan.ts";

/** "none": no skill is proven. "nothing to do": all is as it should be. */
export type CarriedOut = "none" | "nothing to do" | "refused" | "shown" | { readonly changed: number };

export async function install(given: InstallInput, context: InstallContext): Promise<CarriedOut> {
  const { agent, form, user, force } = given;
  const library = givenLibrary(given, context);
  if (agent === undefined) throw usageError(`"limbeck skills install" needs --for ${Object.keys(agents).join("|")}.`);
  const skills = await chosen(given, library, context);
  if (skills.length === 0) {
    context.emit({ event: "end", skills: 0, changed: 0 });
    return "none";
  }
  const where = placesOf(given, context);
  const at = new Date().toISOString();
  const plan = { library, agent, ...withoutUndefined({ form }), user, where, skills, force, at };
  const changes = await planInstall(plan);
  requireNoSecrets(changes);
  return await carryOut(given, context, library, changes, skills.length);
}

export async function uninstall(given: UninstallInput, context: InstallContext): Promise<CarriedOut> {
  const { names, agent, user } = given;
  const library = givenLibrary(given, context);
  const wanted = { ...(names.length === 0 ? {} : { names }), ...withoutUndefined({ agent }), ...(user && { user }) };
  const { changes, edited } = await planUninstall({ library, ...wanted, at: new Date().toISOString() });
  for (const path of edited) context.emit({ event: "problem", path, problem: "changed by hand since; left as it is" });
  return await carryOut(given, context, library, changes, names.length);
}

/** The project, the user's folder and the environment that decide where an agent looks. */
export function placesOf({ folder = "." }: Pick<InstallInput, "folder">, { cwd, environment: env }: Place): Where {
  return { project: resolve(cwd, folder), home: env["HOME"] || homedir(), env };
}

/** Those that are named, else all in use that are proven; with `force` all in use. */
async function chosen({ names, force }: InstallInput, library: Library, context: Context): Promise<LibrarySkill[]> {
  if (names.length > 0) return await Promise.all(names.map((name) => library.read(name)));
  const used = (await library.list()).skills.filter(isInUse);
  const wanted = force ? used : used.filter(isProven);
  const left = used.filter((skill) => !wanted.includes(skill)).map(({ name }) => name);
  if (left.length > 0)
    context.note(
      `! Not proven, and so not installed: ${left.join(", ")}. "limbeck lift ${left.join(" ")}" proves them; --force installs them as they are.`,
    );
  return await Promise.all(wanted.map(({ name }) => library.read(name)));
}

/** Imports take secrets out; a skill may have come from elsewhere. */
export function requireNoSecrets(changes: readonly FileChange[]): void {
  const redactor = createRedactor({ emails: false });
  for (const { path, written } of changes) {
    if (written === undefined || redactor.text(written.text) === written.text) continue;
    throw new EngineError(
      "bad-skill",
      `What would be written to "${path}" (${written.skills.join(", ")}) looks as if it held a key or a password. Take it out of the skill first.`,
    );
  }
}

async function carryOut(
  { dryRun, yes }: UninstallInput,
  context: InstallContext,
  library: Library,
  changes: readonly FileChange[],
  skills: number,
): Promise<CarriedOut> {
  for (const { path, before, after } of changes) {
    const change = before === undefined ? "create" : after === undefined ? "remove" : "change";
    context.emit({ event: "file", path, change, diff: diffText(before, after) });
  }
  const files = plural(changes.length, "file");
  const unasked = `${files} would change, and nobody can be asked here; --yes changes them, --dry-run only shows it.`;
  const paths = { files: changes.map(({ path }) => path) };
  const isWanted =
    changes.length > 0 &&
    !dryRun &&
    (yes || (await askFirst(context, `Change ${files} as shown? [y/N] `, unasked, paths)));
  if (isWanted) await applyChanges(library, changes);
  context.emit({ event: "end", skills, changed: isWanted ? changes.length : 0 });
  if (isWanted) return { changed: changes.length };
  return changes.length === 0 ? "nothing to do" : dryRun ? "shown" : "refused";
}
