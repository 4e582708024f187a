/** `--env python:MODULE`: the same as `--env python` and the module as an option of the world. */
import { readWorldWord } from "../base/parts/part.ts";
import type { Command } from "./command.ts";
import { usageError, type Parsed } from "./parse.ts";

/** The same words with the module where the command takes options of its world. */
export function withModules(parsed: Parsed, command: Command): Parsed {
  const values = new Map(parsed.values);
  const [word = ""] = parsed.values.get("env") ?? [];
  const { id, options } = readWorldWord(word);
  const module = options["module"];
  if (module !== undefined) {
    const { name = "" } = parsed;
    if (module.trim() === "") {
      throw usageError(`--env ${word} names no module. Give --env python:NAME or --env python:./world.py.`);
    }
    const option = ["env-set", "set"].find((one) => Object.hasOwn(command.options, one));
    if (option === undefined) {
      throw usageError(
        `"limbeck ${name}" takes --env python: which module it is comes with the work, not from --env ${word}.`,
      );
    }
    values.set("env", [id]);
    values.set(option, [`module=${module}`, ...(parsed.values.get(option) ?? [])]);
  }
  const next = parsed.values.get("next");
  if (next !== undefined) values.set("next", next.map(nextWorld));
  return { ...parsed, values };
}

/** --next takes a world and its options in one text. */
function nextWorld(text: string): string {
  const [word = "", ...rest] = text.trim().split(/\s+/);
  const { id, options } = readWorldWord(word);
  return [id, ...Object.entries(options).map(([name, value]) => `${name}=${value}`), ...rest].join(" ");
}
