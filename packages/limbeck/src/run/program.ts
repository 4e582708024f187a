/** An agent's own program as a world, from the options that say how it is run. */
import { resolve } from "node:path";
import { commandWords } from "limbeck-base/base/command-words";
import { withoutUndefined } from "limbeck-base/base/fields";
import type { Input } from "limbeck-base/base/operation";
import type { programInputs } from "limbeck-worlds/agent/program.inputs";

export type ProgramGiven = ReturnType<typeof agentWorldOptions>;

/** Options of the world `agent`. Nothing is copied where no folder is named: that is what a person expects who types a command. */
export function agentWorldOptions(
  given: Input<ReturnType<typeof programInputs>> & { readonly maxSteps?: number | undefined },
  command: string,
  args: readonly string[],
  cwd: string,
) {
  const { folder, check, prepare, timeout: timeoutMs, maxSteps } = given;
  return {
    command,
    args: [...args],
    ...(folder === undefined ? { cwd } : { folder: resolve(cwd, folder) }),
    ...(check === undefined ? {} : { check: commandWords(check, "check") }),
    ...(prepare === undefined ? {} : { prepare: commandWords(prepare, "prepare") }),
    ...withoutUndefined({ maxSteps, timeoutMs }),
  };
}
