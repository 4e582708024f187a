/** The contract of a registered world: how to build it, who can demonstrate in it, and what it can generate. */
import { resolveOptions, parseOption } from "limbeck-base/base/options";
import type { DeepTable, OptionValues } from "limbeck-base/base/option-table";
import type { EntryInfo } from "limbeck-base/base/method-info";
import { madePart, type PartKind } from "limbeck-base/base/parts/part";
import type { JsonObject } from "limbeck-base/base/json";
import type { Env } from "./env.ts";
import type { Demonstrator } from "./expert.ts";
import { guardWorld } from "./guard-world.ts";

/** Options as they come from a command line or a recipe file; every world checks its own. */
export type WorldOptions = JsonObject;

export interface GenerateOptions {
  readonly seed: number;
  readonly count: number;
  readonly split?: string;
  readonly options?: WorldOptions;
}

/** A file to write. The path is relative, with forward slashes, and stays below the folder it is written to. */
export interface GeneratedFile {
  readonly path: string;
  readonly text: string;
}

export interface World {
  readonly info: EntryInfo;
  /**
   * A program that an option starts is named by a key `command`, at any depth: `stored-options.ts` looks for it.
   */
  readonly options: DeepTable;
  /** Other options that name a program, or code that one runs. */
  readonly programs?: readonly string[];
  /** Those that name an address to call. */
  readonly addresses?: readonly string[];
  /** The optional packages that playing in it takes; none where it is missing. */
  readonly part?: "mcp" | "openenv" | "shop";
  /**
   * What it judges apart, by name, each with what it means. The steps of its episodes hold the numbers in `info.parts`, and plans
   * of rewards weigh and gate them (reward `world-part`).
   */
  readonly parts?: Readonly<Record<string, string>>;
  create(options?: WorldOptions): Promise<Env>;
  /** Scripted agents by id, the expert first. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
  /** Task files for others to keep, share and play; in worlds that can make them. */
  generate?(options: GenerateOptions): Iterable<GeneratedFile> | AsyncIterable<GeneratedFile>;
}

interface WorldDefinition<Table extends DeepTable> extends Omit<World, "create"> {
  readonly id: string;
  readonly options: Table;
  readonly create: (options: OptionValues<Table>) => Env | Promise<Env>;
}

const WORLD: PartKind<World> = {
  kind: "environment",
  maker: "defineWorld",
  functions: ["create"],
  guard: (world, home) => guardWorld<WorldOptions, World>(world, home),
};

/**
 * Makes a world: an entry of the registry, or the default export of a file of your own. Options are checked before
 * `create` sees them.
 *
 * @example
 * const coin = defineWorld({
 *   id: "coin",
 *   info: { title: "Coin", meaning: "Say heads." },
 *   options: { sides: option.count(2, "sides of the coin", 2) },
 *   create: async () => await openEnv("countdown"),
 * });
 * console.log(Object.keys(coin.options)); // [ "sides" ]
 */
export function defineWorld<const Table extends DeepTable>(definition: WorldDefinition<Table>): World {
  const { id, create, ...world } = definition;
  if (typeof create !== "function") return madePart({ ...world, create }, WORLD);
  return madePart(
    { ...world, create: async (given = {}) => await create(readWorldOptions(world.options, given, id)) },
    WORLD,
  );
}

/** Options as they come from a command line or a file: a text is read as what the option is, and one value is a list. */
export function readWorldOptions<Table extends DeepTable>(
  table: Table,
  given: WorldOptions,
  id: string,
): OptionValues<Table> {
  const read = Object.entries(given).map(([name, value]) => {
    if (typeof value === "string") return [name, parseOption(table, name, value, id)];
    return [name, table[name]?.kind === "list" && typeof value === "number" ? [value] : value];
  });
  return resolveOptions(table, Object.fromEntries(read) as Record<string, unknown>, id);
}

/** Those options that are not none, for makers whose options may be left out. */
export function nonNull<Values extends object>(
  values: Values,
): { -readonly [Name in keyof Values]?: NonNullable<Values[Name]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as ReturnType<
    typeof nonNull<Values>
  >;
}

/** Scripted agents of a world and of what was opened of it, by id; the first is the expert. */
export function demonstratorsOf(world: Pick<World, "demonstrators">, env: Env): Readonly<Record<string, Demonstrator>> {
  return { ...world.demonstrators, ...env.demonstrators };
}

/** A world with another's demonstrators, for worlds that speak the same language. */
export function withDemonstrators(world: World, from: World): World {
  return from.demonstrators === undefined ? world : { ...world, demonstrators: from.demonstrators };
}
