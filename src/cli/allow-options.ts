/** The word of a person that options of a world which were read from a file may reach out; `src/env/stored-options.ts`. */
import type { Allowed } from "../env/index.ts";
import { allowInputs } from "../env/world.inputs.ts";
import type { Invocation } from "./command.ts";
import { optionsOf } from "./options-of.ts";

/** `source`: what the options are read from. */
export function allowOptions(source: string) {
  return optionsOf(allowInputs(source));
}

export function givenAllowed(invocation: Invocation): Allowed {
  return { commands: invocation.flag("allow-commands"), addresses: invocation.flag("allow-addresses") };
}
