/** The library that inputs name, and who acts. */
import { userInfo } from "node:os";
import { resolve } from "node:path";
import { cleanLine } from "limbeck-base/base/clean-text";
import { usageError } from "limbeck-base/base/errors";
import type { Context, Input } from "limbeck-base/base/operation";
import type { actInputs, libraryInputs } from "../skills.inputs.ts";
import { openLibrary, type Library } from "./library.ts";

/** Where an operation runs. */
export type Place = Pick<Context, "cwd" | "environment">;

export function givenLibrary({ library }: Partial<Input<typeof libraryInputs>>, { cwd, environment }: Place): Library {
  const folder = library ?? environment["LIMBECK_SKILLS"] ?? "skills";
  if (folder === "") throw usageError("--library needs the path of a folder.");
  return openLibrary(resolve(cwd, folder));
}

/** Who decides, and why, as the history keeps it. */
export function givenAct(
  { by, why }: Partial<Input<Pick<typeof actInputs, "by" | "why">>>,
  { environment }: Pick<Place, "environment">,
): { readonly by: string; readonly why?: string } {
  return {
    by: cleanLine((by ?? environment["LIMBECK_USER"]) || userName()).slice(0, 80),
    ...(why === undefined ? {} : { why: cleanLine(why).slice(0, 400) }),
  };
}

/** A user without an entry in the system's list has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return "somebody";
  }
}
