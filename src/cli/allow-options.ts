/** Whether options of a world that were read from a file may reach out, as a person says; `src/env/stored-options.ts`. */
import { input } from "../base/input.ts";
import type { Allowed } from "../env/index.ts";
import type { Invocation } from "./command.ts";
import { optionsOf } from "./options-of.ts";

/** `source`: what the options are read from. */
export function allowInputs(source: string) {
  return {
    allowCommands: input.flag(`Let ${source} start programs`),
    allowAddresses: input.flag(`Let ${source} name addresses to call`),
  };
}

export const allowOptions = (source: string) => optionsOf(allowInputs(source));

export function givenAllowed(invocation: Invocation): Allowed {
  return { commands: invocation.flag("allow-commands"), addresses: invocation.flag("allow-addresses") };
}
