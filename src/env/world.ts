/** The contract of a registered world: how to build it, who can demonstrate in it, and what it can generate. */
import type { JsonObject } from "../trajectory/index.ts";
import type { Env } from "./env.ts";
import type { Demonstrator } from "./expert.ts";

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
  /** One sentence for `limbeck envs`. */
  readonly summary: string;
  /**
   * The options `create` understands, each with one line of help. A program that one of them starts is named by a key
   * `command`, at any depth: `stored-options.ts` looks for it.
   */
  readonly options: Readonly<Record<string, string>>;
  /** Those that name an address to call. */
  readonly addresses?: readonly string[];
  /** The optional packages that playing in it takes; none where it is missing. */
  readonly part?: "openenv" | "shop";
  create(options?: WorldOptions): Promise<Env>;
  /** Scripted agents by id, the expert first. */
  readonly demonstrators?: Readonly<Record<string, Demonstrator>>;
  /** Task files for others to keep, share and play; in worlds that can make them. */
  generate?(options: GenerateOptions): Iterable<GeneratedFile> | AsyncIterable<GeneratedFile>;
}

/** A world with another's demonstrators, for worlds that speak the same language. */
export function withDemonstrators(world: World, from: World): World {
  return from.demonstrators === undefined ? world : { ...world, demonstrators: from.demonstrators };
}
