/** The library that a command line names, and who acts. */

import { userInfo } from "node:os";
import { resolve } from "node:path";
import { statIfThere } from "../../base/files.ts";
import { errorData } from "../../base/index.ts";
import { openLibrary, type Library } from "../../skill/library/index.ts";
import type { Context } from "../../base/operation.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { usageError } from "../parse.ts";
import { withStore } from "../with-store.ts";

export function givenLibrary({ io, text }: Invocation): Library {
  return libraryAt(text("library"), { cwd: io.cwd, environment: io.env });
}

export function libraryAt(
  given: string | undefined,
  { cwd, environment }: Pick<Context, "cwd" | "environment">,
): Library {
  const folder = given ?? environment["LIMBECK_SKILLS"] ?? "skills";
  if (folder === "") throw usageError("--library needs the path of a folder.");
  return openLibrary(resolve(cwd, folder));
}

/** The same, after the uses by recorded agents were counted, where there is a store. */
export async function libraryWithUses(invocation: Invocation): Promise<Library> {
  const library = givenLibrary(invocation);
  const there = await statIfThere(invocation.storeRoot);
  if (there?.isDirectory() !== true) return library;
  try {
    const { countRecordedUses } = await import("../../record/index.ts");
    await withStore(invocation.storeRoot, (store) => countRecordedUses(store, library));
  } catch (error) {
    // The library can be read without a store, on a machine without DuckDB, or from a disk that takes no writing.
    invocation.note(`! Uses by recorded agents are not counted: ${cleanLine(errorData(error).message)}`);
  }
  return library;
}

/** Names after the subcommand; at least one where the command cannot do without. */
export function givenNames(invocation: Invocation, needed: boolean): readonly string[] {
  const [what, ...names] = invocation.positionals;
  if (needed && names.length === 0) throw usageError(`"limbeck skills ${what}" needs the name of a skill.`);
  return names;
}

export function givenBy(invocation: Invocation): string {
  const given = invocation.text("by") ?? invocation.io.env["LIMBECK_USER"];
  return cleanLine(given === undefined || given === "" ? userName() : given).slice(0, 80);
}

export function givenWhy(invocation: Invocation): { readonly why?: string } {
  const why = invocation.text("why");
  return why === undefined ? {} : { why: cleanLine(why).slice(0, 400) };
}

/** A user without an entry in the system's list has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
