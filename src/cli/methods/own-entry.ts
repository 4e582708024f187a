/** A part of a user's file in the form in which entries of registries are shown. */
import { EngineError } from "../../base/index.ts";
import { loadPart, type LoadedPart } from "../../base/parts/load-part.ts";
import type { Invocation } from "../command.ts";
import { entriesOf, type Method } from "./all-methods.ts";

const ROOMS: Readonly<Record<string, string>> = {
  environment: "env",
  reward: "reward",
  recipe: "recipe",
  "credit method": "credit",
  objective: "objective",
  strategy: "rollout",
  search: "search",
  agent: "agent",
};

/** What `info` of a part must say, so that it can be shown. */
interface Shown {
  readonly info?: { readonly title?: unknown; readonly meaning?: unknown };
  readonly options?: object;
  readonly settings?: object;
}

/** Loads the file that an argument names. */
export async function givenPart({ io, positionals }: Invocation): Promise<LoadedPart> {
  return await loadPart(positionals[0] ?? "", { cwd: io.cwd });
}

export function ownEntry({ kind, part, name, file }: LoadedPart): Method {
  const { info, options, settings } = part as Shown;
  if (typeof info?.title !== "string" || typeof info.meaning !== "string") {
    throw new EngineError("bad-part", `"${file}": info needs a title and a meaning, each a text.`, {
      details: { file },
    });
  }
  const entry = { ...part, info, options: options ?? settings ?? {} };
  const [method] = entriesOf({ room: ROOMS[kind] ?? kind, entries: { [name]: entry as never } });
  return { ...(method as Method), file };
}
