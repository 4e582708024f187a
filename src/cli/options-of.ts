/** The inputs of an operation as options of a command. */
import { defaultText } from "../base/options.ts";
import type { InputSpec, InputTable } from "../base/operation.ts";
import type { Option } from "./command.ts";

type Kebab<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${Kebab<Rest>}`
    : `-${Lowercase<First>}${Kebab<Rest>}`
  : Name;
type FlagOf<Name extends string, Spec> = Spec extends { readonly flag: infer Flag extends string } ? Flag : Kebab<Name>;
type Options<Table> = {
  readonly [
    Name in keyof Table & string as Table[Name] extends { readonly at: unknown } ? never : FlagOf<Name, Table[Name]>
  ]: Option;
};

/** "answerTokens" as "answer-tokens". */
export function flagOf(name: string, { flag }: Pick<InputSpec, "flag">): string {
  return flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The records that the parser, help and completion know. */
export function optionsOf<Table extends InputTable>(input: Table): Options<Table> {
  const flags = Object.entries(input).filter(([, { at }]) => at === undefined);
  return Object.fromEntries(flags.map(([name, spec]) => [flagOf(name, spec), optionOf(spec)])) as Options<Table>;
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
