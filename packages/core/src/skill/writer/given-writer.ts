/** Who writes, as `--ask` names it. */
import type { Context } from "limbeck-base/base/operation";
import type { Writer } from "../skill.ts";
import { ABSENT, openWriter } from "./open-writer.ts";

/** Opens the named writer; close it. `policy` stands for the word "policy", as `local:DIR`. Default: none. */
export async function givenWriter(
  ask: string | undefined,
  { cwd, environment, note }: Pick<Context, "cwd" | "environment" | "note">,
  policy?: () => Promise<string | undefined>,
): Promise<Writer | undefined> {
  if (ask === undefined) return undefined;
  const writer = await openWriter((ask === "policy" ? await policy?.() : undefined) ?? ask, { environment, cwd });
  if (writer.id === ABSENT) {
    note("The bundled writer (limbeck-writer-model) is not installed: templates write in its place.");
  }
  return writer;
}
