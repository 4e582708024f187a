/** What a fuzz target is: one parser, files to begin with, and a way to hand it bytes. */
import type { Json } from "../../packages/base/src/base/json.ts";

/** In seeds these letters must never come out of a parser that keeps what it reads, nor stand in an error. */
export const PLANTED = [`sk-ant-${"api03-Zz9".repeat(5)}`, "ann.example@example.org"] as const;

export interface Seed {
  /** The file's name, where a target reads several. */
  readonly name: string;
  readonly bytes: Buffer;
}

export interface Place {
  /** An empty folder of the target's own; what is in it stays for the next case. */
  readonly folder: string;
}

export interface Target {
  /** The code that reads. */
  readonly reads: string;
  /** Gives what was made of it, in which planted secrets are looked for; throws an `EngineError` at what is refused. */
  readonly run: (seed: Seed, place: Place) => Promise<unknown>;
  readonly close?: () => Promise<void>;
}

export interface TargetKind {
  /** Whether the parser takes secrets out; then they are planted, and not torn apart. */
  readonly redacts?: true;
  /** "json": what is no JSON does not reach the parser, and is not tried. */
  readonly form?: "json";
  /** Built once, with its files; asked for again after a crash. */
  readonly open: (place: Place) => Promise<Target & { readonly seeds: readonly Seed[] }>;
}

export function textSeed(text: string, name = "seed"): Seed {
  return { name, bytes: Buffer.from(text) };
}

export function jsonSeed(value: unknown, name = "seed"): Seed {
  return textSeed(JSON.stringify(value), name);
}

/** A parser of text that needs no file. */
export function textTarget(
  reads: string,
  seeds: readonly (string | object)[],
  run: (text: string) => unknown,
): TargetKind {
  return {
    open: async () => ({
      reads,
      seeds: seeds.map((seed) => (typeof seed === "string" ? textSeed(seed) : jsonSeed(seed))),
      run: async ({ bytes }) => await run(bytes.toString()),
    }),
  };
}

/** A parser of values that were JSON; what is none does not reach it. */
export function valueTarget(reads: string, seeds: readonly object[], run: (value: Json) => unknown): TargetKind {
  const { open } = textTarget(reads, seeds, (text) => run(JSON.parse(text) as Json));
  return { form: "json", open };
}
