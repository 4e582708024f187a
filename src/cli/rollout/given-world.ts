/** The world that a command line describes, for commands that are not operations yet. */
import { worldInputs } from "../../env/world.inputs.ts";
import { givenWorld as given, type GivenWorld } from "../../run/given-parts.ts";
import { frameOf, readInput } from "../command-of.ts";
import type { Invocation } from "../command.ts";

export type { GivenWorld } from "../../run/given-parts.ts";

export async function givenWorld(invocation: Invocation, command: string): Promise<GivenWorld> {
  return await given(command, readInput(worldInputs, invocation), frameOf(invocation, worldInputs));
}
