/** Which world a command works in: the options `play`, `envs` and `generate` share. */
import type { World } from "../../env/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { givenText } from "../../base/given-file.ts";
import { usageError } from "../parse.ts";

/** The world named by --env. */
export async function chosenWorld(invocation: Invocation, command: string): Promise<{ id: string; world: World }> {
  const { envs, getWorld } = await import("../../env/index.ts");
  const id = invocation.text("env");
  if (id === undefined) {
    throw usageError(`"limbeck ${command}" needs --env ID; known: ${Object.keys(envs).sort().join(", ")}.`);
  }
  return { id, world: await getWorld(id) };
}

/** Every NAME=VALUE given with an option; numbers, true, false and JSON are read as such. */
export function givenValues(invocation: Invocation, option: string): Record<string, Json> {
  return Object.fromEntries(parseOptionTexts(invocation, option).map(([name, text]) => [name, readValue(text)]));
}

/** Every NAME=VALUE given with an option, as texts. */
export function parseOptionTexts(invocation: Invocation, option: string): (readonly [string, string])[] {
  return invocation.texts(option).map((text) => {
    const split = text.indexOf("=");
    if (split < 1) throw usageError(`--${option} takes NAME=VALUE, not "${text}".`);
    return [text.slice(0, split), text.slice(split + 1)] as const;
  });
}

/** The commands of a file or of standard input ("-"), one a line; empty lines are passed over. */
export async function readCommands(invocation: Invocation, file: string): Promise<string[]> {
  const { io } = invocation;
  const text = file === "-" ? await io.readInput() : await givenText(invocation.io, file, "the commands");
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
