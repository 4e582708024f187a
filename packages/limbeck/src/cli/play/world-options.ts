/** Which world a command works in: the options `play`, `envs` and `generate` share. */
import type { World } from "limbeck-core/env/world";
import type { Invocation } from "../command.ts";
import { givenText } from "limbeck-base/base/given-file";
import { usageError } from "../parse.ts";

/** The world named by --env. */
export async function chosenWorld(invocation: Invocation, command: string): Promise<{ id: string; world: World }> {
  const { envs, getWorld } = await import("limbeck-worlds/index");
  const id = invocation.text("env");
  if (id === undefined) {
    throw usageError(`"limbeck ${command}" needs --env ID; known: ${Object.keys(envs).sort().join(", ")}.`);
  }
  return { id, world: await getWorld(id) };
}

/** The commands of a file or of standard input ("-"), one a line; empty lines are passed over. */
export async function readCommands(invocation: Invocation, file: string): Promise<string[]> {
  const { io } = invocation;
  const text = file === "-" ? await io.readInput() : await givenText(invocation.io, file, "the commands");
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}
