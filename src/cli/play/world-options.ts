/** Which world a command works in: the options `play`, `envs` and `generate` share. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { EngineError, errorCode } from "../../base/index.ts";
import type { World, WorldOptions } from "../../env/index.ts";
import type { Json } from "../../trajectory/index.ts";
import type { Invocation, Option } from "../command.ts";
import { usageError } from "../parse.ts";
import { envNames } from "./env-names.ts";

export const worldOption: Readonly<Record<"env" | "set", Option>> = {
  env: { type: "string", value: "ID", summary: "The environment", choices: envNames },
  set: {
    type: "string",
    value: "NAME=VALUE",
    multiple: true,
    summary: "An option of the environment; numbers, true, false and JSON are read as such",
  },
};

/** The world named by --env. */
export async function chosenWorld(invocation: Invocation, command: string): Promise<{ id: string; world: World }> {
  const { envs, getWorld } = await import("../../env/index.ts");
  const id = invocation.text("env");
  if (id === undefined) {
    throw usageError(`"limbeck ${command}" needs --env ID; known: ${Object.keys(envs).sort().join(", ")}.`);
  }
  return { id, world: await getWorld(id) };
}

/** Every --set as an option of the world. */
export function givenOptions(invocation: Invocation): WorldOptions {
  return Object.fromEntries(parseOptionTexts(invocation, "set").map(([name, text]) => [name, readValue(text)]));
}

/** Every NAME=VALUE given with an option, as texts. */
export function parseOptionTexts(invocation: Invocation, option: string): (readonly [string, string])[] {
  return invocation.texts(option).map((text) => {
    const split = text.indexOf("=");
    if (split < 1) throw usageError(`--${option} takes NAME=VALUE, not "${text}".`);
    return [text.slice(0, split), text.slice(split + 1)] as const;
  });
}

export function wholeNumber(invocation: Invocation, option: string, fallback: number): number {
  const text = invocation.text(option);
  if (text === undefined) return fallback;
  if (!/^\d{1,15}$/.test(text)) throw usageError(`--${option} takes a whole number of at least 0, not "${text}".`);
  return Number(text);
}

/** The commands of a file or of standard input ("-"), one a line; empty lines are passed over. */
export async function readCommands(invocation: Invocation, file: string): Promise<string[]> {
  const { io } = invocation;
  const text = file === "-" ? await io.readInput() : await readText(resolve(io.cwd, file), file);
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

async function readText(path: string, shown: string): Promise<string> {
  return readFile(path, "utf8").catch((cause: unknown) => {
    const code = errorCode(cause) === "ENOENT" ? "file-missing" : "file-unreadable";
    throw new EngineError(code, `Cannot read the commands in "${shown}" (${errorCode(cause) ?? "unknown"}).`, {
      cause,
    });
  });
}

export function readValue(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
