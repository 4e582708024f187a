/** How large the house is, and the bounds of `house.json` that it must keep. Paths are by room (`scripts/layout.ts`). */
import { basename, dirname } from "node:path/posix";
import { closureOf, importsOf, roomOf, type SourceFile } from "./house.ts";

/** Files whose entries are the methods: what a published system brings is never too much. */
const METHODS = [
  ...["credit", "objective", "recipe", "reward", "rollout", "search"].map((room) => `${room}/registry.ts`),
  ...["reward/screens", "update/providers", "distill/contexts", "distill/pairs"].map((folder) => `${folder}/index.ts`),
];
const STARTS = ["recipe/opid.ts", "recipe/grpo.ts"];

export interface LongFunction {
  readonly name: string;
  readonly file: string;
  readonly lines: number;
}

export interface House {
  /** Code lines: no blanks, comments, tests and contract suites. */
  readonly code: number;
  /** Of each room, without methods and worlds, which may grow. */
  readonly rooms: Readonly<Record<string, number>>;
  readonly methods: number;
  readonly outsideMethods: number;
  /** Files that one has to know for one, types included. */
  readonly closures: Readonly<Record<string, number>>;
  /** The longest first. */
  readonly functions: readonly LongFunction[];
  /** Files that one neighbour alone imports, as `file < neighbour`. */
  readonly satellites: readonly string[];
  readonly textSettings: number;
  readonly jsonFields: number;
}

/** What `house.json` holds: no figure may be above its bound. */
export interface Bounds {
  code: number;
  rooms: Record<string, number>;
  outsideMethods: number;
  closures: Record<string, number>;
  /** Functions of more lines that are no exception. */
  functionsOver80: number;
  functionsOver100: number;
  satellites: number;
  textSettings: number;
  jsonFields: number;
  /** Functions of more than 80 lines that stay: "FILE NAME" and the reason. At most twenty. */
  readonly exceptions: Readonly<Record<string, string>>;
  /** What each later piece of work may add, without tests. */
  readonly budgets: Readonly<Record<string, number>>;
}

export function measureHouse(everything: readonly SourceFile[]): House {
  const files = everything.filter(({ path }) => !/\.(?:test|contract)\.ts$/.test(path));
  const lines = new Map(files.map(({ path, text }) => [path, codeLines(text)]));
  const sum = (paths: readonly string[]): number => paths.reduce((all, path) => all + (lines.get(path) ?? 0), 0);
  const entries = new Set(files.flatMap((file) => (METHODS.includes(file.path) ? entriesOf(file) : [])));
  const rooms: Record<string, number> = {};
  for (const { path } of files) {
    // A world is a folder of `worlds`.
    if (entries.has(path) || /^worlds\/[^/]+\//.test(path)) continue;
    const room = roomOf(path) || "doors";
    rooms[room] = (rooms[room] ?? 0) + (lines.get(path) ?? 0);
  }
  const count = (words: string): number => files.reduce((all, { text }) => all + text.split(words).length - 1, 0);
  const methods = sum([...entries]);
  return {
    code: sum([...lines.keys()]),
    rooms,
    methods,
    outsideMethods: sum([...lines.keys()]) - methods,
    closures: Object.fromEntries(STARTS.map((start) => [start, closureOf(files, [start]).length])),
    functions: files.flatMap(functionsOf).sort((one, other) => other.lines - one.lines),
    satellites: satellitesOf(files, entries),
    textSettings: count('settings["'),
    jsonFields: count("jsonFields"),
  };
}

export function codeLines(text: string): number {
  let lines = 0;
  let inComment = false;
  for (const line of text.split("\n").map((whole) => whole.trim())) {
    if (inComment) inComment = !line.includes("*/");
    else if (line.startsWith("/*")) inComment = !line.includes("*/");
    else if (line !== "" && !line.startsWith("//")) lines += 1;
  }
  return lines;
}

/** The files of a registry's entries: `motionTags` is in `./motion-tags.ts`. */
function entriesOf(registry: SourceFile): string[] {
  return [...registry.text.matchAll(/^import \{([^}]*)\} from "\.\/([\w-]+)\.ts";$/gm)].flatMap(
    ([, names = "", file = ""]) =>
      names.toLowerCase().split(/\W+/).includes(file.replaceAll("-", ""))
        ? [`${dirname(registry.path)}/${file}.ts`]
        : [],
  );
}

/** Begins a function: its indentation, and its name where it has one. */
const BEGINS = [
  /^(\s*)(?:export )?(?:default )?(?:async )?function\*? ?(\w*)/,
  /^(\s*)(?:export )?(?:const|let) (\w+)\b.*(?:=|=> \{) ?(?:async )?(?:\(|.*=> \{$)/,
  /^(\s*)(?:(?:static|async|get|set|override|private|protected|public) )*\*?(?!(?:if|for|while|switch|catch|return|await|with)\b)([\w#]+)(?:<.*>)?\((?:.*\{)?$/,
  /^(\s*)([\w"]*).*=> \{$/,
] as const;

/** Functions by their lines, comments and blanks included. The formatter's indentation says where one ends. */
export function functionsOf({ path, text }: SourceFile): LongFunction[] {
  const lines = text.split("\n");
  return lines.flatMap((line, at) => {
    if (!/[({]$/.test(line) || lines.length < 80) return [];
    const [, indent = "", name] = BEGINS.map((begin) => begin.exec(line)).find((match) => match !== null) ?? [];
    if (name === undefined) return [];
    const end = endOf(lines, at, /^\s*[?:] /.test(line) ? `${indent}  ` : indent);
    return end - at < 80 ? [] : [{ name: name || "without a name", file: path, lines: end - at + 1 }];
  });
}

/** The last line of a function: the first that closes a brace where it began, unless a brace is opened again there. */
function endOf(lines: readonly string[], begin: number, indent: string): number {
  for (let at = begin; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const isBody =
      line.endsWith("{") && (at === begin || line.startsWith(`${indent})`) || line.startsWith(`${indent}}`));
    if (isBody) continue;
    if (at > begin && line.startsWith(`${indent}}`)) return at;
    // Parameters that end without a body: a call, or a type.
    if (at > begin && line.startsWith(`${indent})`)) return begin;
  }
  return begin;
}

/** Files that exactly one other imports, which lies in the same folder; what a door or a registry imports has its place there. */
function satellitesOf(files: readonly SourceFile[], entries: ReadonlySet<string>): string[] {
  const isDoor = (path: string): boolean => ["index.ts", "registry.ts"].includes(basename(path));
  const importers = new Map<string, Set<string>>();
  for (const file of files)
    for (const target of importsOf(file)) importers.set(target, (importers.get(target) ?? new Set()).add(file.path));
  return files.flatMap(({ path }) => {
    const [only, ...others] = importers.get(path) ?? [];
    const isOne = only !== undefined && others.length === 0 && dirname(only) === dirname(path);
    return isOne && !isDoor(only) && !isDoor(path) && !entries.has(path) ? [`${path} < ${only}`] : [];
  });
}

/** The figures that have bounds, in the form of `house.json`. */
export function figuresOf(house: House, exceptions: Bounds["exceptions"]): Omit<Bounds, "exceptions" | "budgets"> {
  const { code, rooms, outsideMethods, closures, functions, textSettings, jsonFields } = house;
  const long = functions.filter(({ lines }) => lines > 80);
  return {
    code,
    rooms: { ...rooms },
    outsideMethods,
    closures: { ...closures },
    functionsOver80: long.filter(({ file, name }) => exceptions[`${file} ${name}`] === undefined).length,
    functionsOver100: long.filter(({ lines }) => lines > 100).length,
    satellites: house.satellites.length,
    textSettings,
    jsonFields,
  };
}

/** Every bound that is passed, and exceptions that are none. */
export function budgetFaults(house: House, bounds: Bounds): string[] {
  const { exceptions } = bounds;
  const [now, most] = [flat(figuresOf(house, exceptions)), flat(bounds)];
  const long = house.functions.filter(({ lines }) => lines > 80).map(({ file, name }) => `${file} ${name}`);
  return [
    ...Object.entries(now).flatMap(([name, figure]) => {
      const bound = most[name];
      if (bound === undefined) return [`house.json has no bound for ${name}, which is ${figure}.`];
      return figure <= bound ? [] : [`${name} is ${figure}, and house.json allows ${bound}.`];
    }),
    ...Object.entries(exceptions).flatMap(([name, why]) => [
      ...(long.includes(name) ? [] : [`${name} has at most 80 lines; take it off the exceptions of house.json.`]),
      ...(why.length > 20 ? [] : [`${name} is an exception in house.json without a reason.`]),
    ]),
    ...(Object.keys(exceptions).length > 20 ? ["house.json has more than twenty exceptions."] : []),
  ];
}

/** The bounds at the present figures, where these are lower; never higher. */
export function tightened(house: House, bounds: Bounds): Bounds {
  const now = figuresOf(house, bounds.exceptions);
  const lower = <Value>(had: Value, has: Value | undefined): Value => {
    if (typeof had === "number") return Math.min(had, (has as typeof had | undefined) ?? 0) as Value;
    const entries = Object.entries(had as object) as [string, number][];
    return Object.fromEntries(
      entries.map(([name, bound]) => [name, lower(bound, (has as Record<string, number> | undefined)?.[name])]),
    ) as Value;
  };
  const { exceptions, budgets, ...figures } = bounds;
  return { ...lower(figures, now), exceptions, budgets };
}

function flat(bounds: Partial<Bounds>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(bounds).flatMap(([name, value]): [string, number][] =>
      typeof value === "number"
        ? [[name, value]]
        : Object.entries(value).flatMap(([key, inner]) =>
            typeof inner === "number" ? [[`${name}.${key}`, inner]] : [],
          ),
    ),
  );
}
