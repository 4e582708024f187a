/** What a `define…` function makes, so that a part from a file is recognised and held to its contract. */
import { EngineError } from "../errors.ts";

/** Where a part came from, and how long one of its calls may take. */
export interface PartHome {
  /** Its whole path. */
  readonly file: string;
  /** Its name for look-ups: path and content hash. */
  readonly name: string;
  readonly seconds: number;
}

export interface PartKind<Part> {
  /** A noun, as look-ups say it: "reward", "credit method". */
  readonly kind: string;
  /** The function that makes one: "defineReward". */
  readonly maker: string;
  /** Functions that it must have. */
  readonly functions: readonly (keyof Part & string)[];
  /** The same part, whose calls are contained and whose answers are checked. */
  readonly guard: (part: Part, home: PartHome) => Part;
}

// oxlint-disable-next-line typescript/no-explicit-any -- a table of kinds whose parts differ
const made = new WeakMap<object, PartKind<any>>();

/** Marks what a `define…` function returns. Throws at once, naming what is missing. */
export function madePart<Part extends object>(part: Part, kind: PartKind<Part>): Part {
  const fields = part as Readonly<Record<string, unknown>>;
  const missing = kind.functions.find((name) => typeof fields[name] !== "function");
  if (missing !== undefined)
    throw badPart(kind.maker, `"${missing}" is ${kindOfValue(fields[missing])}, not a function`);
  for (const name of ["info", "options", "settings"]) {
    if (!(name in fields) || (typeof fields[name] === "object" && fields[name] !== null)) continue;
    throw badPart(kind.maker, `"${name}" is ${kindOfValue(fields[name])}, not an object`);
  }
  made.set(part, kind);
  return part;
}

function badPart(maker: string, what: string): EngineError {
  return new EngineError("bad-part", `${maker} was given a part that cannot be used: ${what}.`);
}

/** What made it; undefined for any other object. */
export function partKindOf(part: unknown): PartKind<object> | undefined {
  return typeof part === "object" && part !== null ? (made.get(part) as PartKind<object> | undefined) : undefined;
}

/** "nothing", "a number", "a list": for a message about a value of the wrong kind. */
export function kindOfValue(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

/** A word that names a file and not an entry of a registry. */
export function namesFile(word: string): boolean {
  return /^(?:\.{1,2}[\\/]|\/|file:|[A-Za-z]:[\\/])/.test(word) || hasModuleEnding(word);
}

/** The same where folders have names too. */
export function hasModuleEnding(word: string): boolean {
  return /\.m?[jt]s(?:#[0-9a-f]+)?$/.test(word);
}

interface Loaded {
  readonly kind: string;
  readonly part: object;
  readonly home: PartHome;
}

const loaded = new Map<string, Loaded>();

/** From now on look-ups find it by its name. */
export function keepPart(kind: string, part: object, home: PartHome): void {
  loaded.set(`${kind} ${home.name}`, { kind, part, home });
}

/** Every part that was loaded from a file here, for threads and processes that need the same ones. */
export function loadedParts(): readonly { readonly kind: string; readonly name: string }[] {
  return [...loaded.values()].map(({ kind, home }) => ({ kind, name: home.name }));
}

const files = new Set<string>();

/** From now on code of this file may run. */
export function keepFile(file: string): void {
  files.add(file);
}

/** Files whose code may run here. */
export function keptFiles(): readonly string[] {
  return [...files];
}

/**
 * A part that was loaded before, by its name. Nothing is loaded here: a name may come from a stored run, a plan or a job,
 * and what is read from those names no program.
 */
export function loadedPart(name: string, kind: string): object {
  const found = loaded.get(`${kind} ${name}`);
  if (found !== undefined) return found.part;
  const { file, hash } = splitName(name);
  const others = [...loaded.values()].filter(({ home }) => splitName(home.name).file === file);
  const same = others.find((other) => other.kind === kind);
  const why =
    same !== undefined
      ? `its content here is ${splitName(same.home.name).hash}, and ${hash ?? "no hash"} was asked for. Put the same file there, or start anew with this one`
      : others[0] !== undefined
        ? `it was loaded as ${others[0].kind}, not as ${kind}`
        : `nobody named it when this was started. What is read from runs, plans and jobs loads no file: name it on the command line, or call loadPart("${file}")`;
  throw new EngineError("part-refused", `The file "${file}" cannot serve as ${kind}: ${why}.`, {
    details: { kind, file, hash },
  });
}

/** A name in its two halves. */
export function splitName(name: string): { readonly file: string; readonly hash: string | undefined } {
  const [, file = name, hash] = /^(.*)#([0-9a-f]+)$/.exec(name) ?? [];
  return { file, hash };
}

const PYTHON = "python:";

/** How a world is typed: its id, or `python:MODULE` for the world python with that module. */
interface WorldWord {
  readonly id: string;
  /** Options of the world that the word says. */
  readonly options: Readonly<Record<string, string>>;
}

/** What is stored is the id and the options, never the word: what reads them knows which of them name a program. */
export function readWorldWord(word: string): WorldWord {
  if (!word.startsWith(PYTHON)) return { id: word, options: {} };
  return { id: "python", options: { module: word.slice(PYTHON.length) } };
}
