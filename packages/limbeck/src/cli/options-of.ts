/** The inputs of an operation as options of a command. */
import { defaultText } from "limbeck-base/base/options";
import type { InputSpec, InputTable } from "limbeck-base/base/operation";
import type { Option } from "./command.ts";

/** "answerTokens" as "answer-tokens". */
export function flagOf(name: string, { flag }: Pick<InputSpec, "flag">): string {
  return flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The records that the parser, help and completion know. */
export function optionsOf(input: InputTable): Readonly<Record<string, Option>> {
  const flags = Object.entries(input).filter(([, { at }]) => at === undefined);
  return Object.fromEntries(flags.map(([name, spec]) => [flagOf(name, spec), optionOf(spec)]));
}

/** Tables of inputs as sections of help, by their headings. */
export function sectionsOf(groups: Readonly<Record<string, InputTable>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(groups).map(([title, table]) => [title, Object.keys(optionsOf(table))]));
}

const LISTS: readonly string[] = ["list", "amounts", "values", "settings"];

function optionOf(spec: InputSpec): Option {
  const { kind, meaning, value, short, takes, bare } = spec;
  const choices = spec.kind === "part" ? (spec.names ?? spec.part.names) : spec.names;
  return {
    type: kind === "flag" || bare !== undefined ? "boolean" : "string",
    summary: spec.default === undefined ? meaning : `${meaning}. Default: ${defaultText(spec.default)}`,
    ...(value === undefined ? {} : { value }),
    ...(short === undefined ? {} : { short }),
    ...(takes === undefined ? {} : { mayTake: takes }),
    ...(LISTS.includes(kind) ? { multiple: true } : {}),
    ...(choices === undefined ? {} : { choices }),
  };
}
