/** The word of a person that options of a world which were read from a file may reach out; `src/env/stored-options.ts`. */
import type { Allowed } from "../env/index.ts";
import type { Invocation, Option } from "./command.ts";
import { flag } from "./options.ts";

/** `source`: what the options are read from. */
export function allowOptions(source: string): Readonly<Record<"allow-commands" | "allow-addresses", Option>> {
  return {
    "allow-commands": flag(`Let ${source} start programs`),
    "allow-addresses": flag(`Let ${source} name addresses to call`),
  };
}

export function givenAllowed(invocation: Invocation): Allowed {
  return { commands: invocation.flag("allow-commands"), addresses: invocation.flag("allow-addresses") };
}
