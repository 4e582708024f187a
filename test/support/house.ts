/** The checks behind the house test, as functions over a list of files, so that they can be tried on planted faults. */
import { dirname, normalize } from "node:path/posix";
import { fileOf, namedPath, PACKAGES, RECORDER } from "../../scripts/layout.ts";

export interface SourceFile {
  /** By room, with forward slashes: `credit/grpo.ts` (`scripts/layout.ts`). */
  readonly path: string;
  readonly text: string;
}

/** Each room with what it may import. `base` is always allowed. */
const MAY_IMPORT = Object.assign({}, ...Object.values(PACKAGES)) as Readonly<
  Record<string, readonly string[] | "everything above">
>;

const ORDER = Object.keys(MAY_IMPORT);

/** The package by its name, or one of its subpaths. */
const OWN_NAME = /^limbeck(?:\/|$)/;

/** The room of a path; a file at the top of a package has none. */
export function roomOf(path: string): string {
  if (path.startsWith(`${RECORDER}/`)) return RECORDER;
  return path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
}

/** What a file asks for: `value` runs before the file does, `type` leaves no trace, `later` is an `import()`. */
export interface Import {
  readonly kind: "value" | "type" | "later";
  /** A path by room where it is one of our sources; the name of a package otherwise. */
  readonly target: string;
}

/** Every import and re-export of a file, in the order in which they stand. */
export function everyImportOf({ path, text }: SourceFile): Import[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(?:(type\s+)?(?:\{[^}]*\}|\*(?:\s+as\s+\w+)?|\w+(?:\s*,\s*\{[^}]*\})?)\s+from\s+)?"([^"]+)"|\bimport\s*\(\s*"([^"]+)"/gm,
  );
  return [...statements].map(([, type, named, later]) => {
    const target = named ?? later ?? "";
    return {
      kind: later !== undefined ? "later" : type === undefined ? "value" : "type",
      target: target.startsWith(".") ? normalize(`${dirname(path)}/${target}`) : (namedPath(target) ?? target),
    };
  });
}

/** Every relative import of a file, static, dynamic or type-only, as a path by room. */
export function importsOf(file: SourceFile): string[] {
  return everyImportOf(file).flatMap(({ target }) => (target.endsWith(".ts") ? [target] : []));
}

/** The files that a file names at its top, as values or as types: whoever reads it has to know them. */
function namedBy(file: SourceFile): string[] {
  return everyImportOf(file).flatMap(({ kind, target }) => (kind === "later" ? [] : [target]));
}

/** `starts` and every file reached from them by imports at the top of files, types included. */
export function closureOf(files: readonly SourceFile[], starts: readonly string[]): string[] {
  const named = new Map(files.map((file) => [file.path, namedBy(file)]));
  const reached = new Set(starts);
  for (const path of reached) for (const target of named.get(path) ?? []) if (named.has(target)) reached.add(target);
  return [...reached];
}

/**
 * Groups of files that import each other in a circle, by types and by `import()` too: none of them can be read before
 * the others. Tests are no part of the house.
 */
export function circlesOf(files: readonly SourceFile[]): string[][] {
  const house = houseOf(files);
  const reach = new Map(house.map(({ path }) => [path, new Set<string>()]));
  const named = new Map(house.map((file) => [file.path, importsOf(file).filter((target) => reach.has(target))]));
  for (const [path, reached] of reach) {
    for (const target of named.get(path) ?? []) reached.add(target);
    for (const step of reached) for (const target of named.get(step) ?? []) reached.add(target);
  }
  const circles = [...reach].flatMap(([path, reached]) =>
    reached.has(path) ? [[...reached].filter((other) => reach.get(other)?.has(path)).sort()] : [],
  );
  return [...new Map(circles.map((circle) => [circle[0], circle])).values()];
}

/** Imports that point the wrong way. A test may reach any room and its support files outside the packages; nothing else may. */
export function importFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => roomOf(file.path) !== "" && !file.path.endsWith(".test.ts"))
    .flatMap((file) => [
      ...importsOf(file).flatMap((target) => importFault(file.path, target)),
      ...everyImportOf(file)
        .filter(({ target }) => OWN_NAME.test(target))
        .map(({ target }) => `${fileOf(file.path)} imports ${target}, a public door; name the file by its path.`),
    ]);
}

function importFault(path: string, target: string): string[] {
  const from = roomOf(path);
  const row = MAY_IMPORT[from];
  if (row === undefined) return [`${fileOf(path)}: "${from}" is not a room. Known: ${ORDER.join(", ")}.`];
  if (target.startsWith(".."))
    return [
      `${fileOf(path)} imports ${target}, which is outside its package; name a file of another package by the name of that.`,
    ];
  const to = roomOf(target);
  const always = from === RECORDER ? [] : ["base"];
  const allowed = row === "everything above" ? ORDER.slice(0, ORDER.indexOf(from)) : [...always, ...row];
  if (to === from || allowed.includes(to)) return [];
  return [
    `${fileOf(path)} (${from}) imports ${fileOf(target)} (${to === "doors" ? "a public door" : to}); allowed: ${allowed.join(", ")}.`,
  ];
}

/**
 * Circles of files, and entries of `underWork` that name none any more. An entry is a list of rooms or folders: a
 * circle whose files all lie in them is still being taken apart.
 */
export function circleFaults(files: readonly SourceFile[], underWork: readonly (readonly string[])[] = []): string[] {
  const circles = circlesOf(files);
  const isIn = (circle: readonly string[], folders: readonly string[]): boolean =>
    circle.every((path) => folders.some((folder) => path.startsWith(`${folder}/`)));
  return [
    ...circles
      .filter((circle) => !underWork.some((folders) => isIn(circle, folders)))
      .map((circle) => `These import each other in a circle: ${circle.map(fileOf).join(", ")}.`),
    ...underWork
      .filter((folders) => !circles.some((circle) => isIn(circle, folders)))
      .map((folders) => `There is no circle in ${folders.join(", ")} any more; take it off the list.`),
  ];
}

/** Benches measure what the house builds, serves and tests with; studies measure the engine, as a user has it. */
const BENCH = "bench/";
const FOR_BENCHES = ["../scripts/", "../test/support/", "../examples/"];

/**
 * Imports of `research` that are neither of its own folder nor of the engine: a public door by its name, or a source by its
 * path. Paths are below `research`. Its tests may use the support files of all tests; no study may use a bench.
 */
export function researchFaults(files: readonly SourceFile[], doors: readonly string[]): string[] {
  return files.flatMap(({ path, text }) => {
    const isBench = path.startsWith(BENCH);
    const beside = isBench ? FOR_BENCHES : path.endsWith(".test.ts") ? ["../test/support/"] : [];
    const allowed = ["../packages/", ...beside];
    return everyImportOf({ path, text }).flatMap(({ target }) => {
      const isPast = target.startsWith("..")
        ? !allowed.some((folder) => target.startsWith(folder))
        : target.startsWith(BENCH) && !isBench;
      if (isPast) {
        const what = target.startsWith("..") ? target.slice(3) : `research/${target}`;
        return [`research/${path} imports ${what}; import a door of the package, or a source by its path.`];
      }
      if (!OWN_NAME.test(target) || doors.includes(target)) return [];
      return [`research/${path} imports ${target}, which is no door of the package; see docs/lookup/generated/api.md.`];
    });
  });
}

/** Names that say nothing, names that are not kebab-case, and exports by wildcard. */
export function namingFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => [
    ...(/(^|\/)(utils?|helpers?|common|types|misc)(\/|\.ts$)/.test(path)
      ? [`${fileOf(path)}: the name says nothing.`]
      : []),
    ...(/^[a-z0-9./-]+$/.test(path) ? [] : [`${fileOf(path)}: file names are kebab-case.`]),
    ...(/^export (type )?\* /m.test(text) ? [`${fileOf(path)}: exports by wildcard; name what is public.`] : []),
  ]);
}

/** Participles and adjectives without "-ed" that say nothing as a whole name. */
const BARE = new Set(
  "bad begun better broken built busy done drawn empty found free full given gone good half heard held hidden kept known largest later leaving left long longest lost made missing near nearest new old own paid plain ready rest same seen sent several short shown single sole sure taken told said spent stateless stood taught thought torn tried unknown whole worst worthiest written".split(
    " ",
  ),
);
const NO_PARTICIPLES = new Set(["embed", "feed", "need", "seed", "speed"]);

/** Exported functions and constants whose whole name is a participle or an adjective. Those in `allowed` say enough. */
export function bareNameFaults(files: readonly SourceFile[], allowed: readonly string[] = []): string[] {
  return houseOf(files).flatMap(({ path, text }) =>
    [...text.matchAll(/^export\s+(?:async\s+)?(?:const|let|function\*?)\s+([a-z]+)\b/gm)]
      .map(([, name = ""]) => name)
      .filter((name) => BARE.has(name) || (name.endsWith("ed") && !NO_PARTICIPLES.has(name)))
      .filter((name) => !allowed.includes(name))
      .map((name) => `${fileOf(path)} exports "${name}"; let the name say what it returns or does, as joinLines does.`),
  );
}

/** Exported types whose name is declared in more than three files: one name, many things. */
export function homonymFaults(files: readonly SourceFile[]): string[] {
  const homes = new Map<string, Set<string>>();
  for (const { path, text } of houseOf(files)) {
    for (const [, name = ""] of text.matchAll(/^export\s+(?:declare\s+)?(?:type|interface)\s+(\w+)/gm)) {
      homes.set(name, (homes.get(name) ?? new Set()).add(fileOf(path)));
    }
  }
  return [...homes]
    .filter(([, paths]) => paths.size > 3)
    .map(([name, paths]) => `The type ${name} is declared in ${[...paths].join(", ")}; name each after what it is.`);
}

function houseOf(files: readonly SourceFile[]): readonly SourceFile[] {
  return files.filter(({ path }) => !path.endsWith(".test.ts"));
}

/** Rooms without a line in the table of docs/lookup/architecture.md, and doors that do not begin with a sentence on what they have. */
export function plateFaults(files: readonly SourceFile[], architecture: string): string[] {
  const rooms = [...new Set(files.map((file) => roomOf(file.path)).filter((room) => room !== ""))];
  const doors = files.filter(({ path }) => roomOf(path) === "doors");
  return [
    ...rooms
      .filter((room) => !new RegExp(`^\\| \`${room}\` \\| [^|]{20,} \\|`, "m").test(architecture))
      .map((room) => `The room ${room} has no line in the table of docs/lookup/architecture.md.`),
    ...doors
      .filter(({ text }) => !/^\/\*\*\s[\s\S]{20,400}?\.\s*(\*\/|\n)/.test(text))
      .map(({ path }) => `${fileOf(path)} has no door plate.`),
  ];
}

/** Our files and the packages that are loaded as soon as `start` is. */
export function loadedBy(
  files: readonly SourceFile[],
  start: string,
): { readonly files: string[]; readonly packages: string[] } {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([start]);
  for (const path of reached) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    for (const { kind, target } of everyImportOf(file)) if (kind === "value") reached.add(target);
  }
  const [own, others] = [[...reached].filter((one) => byPath.has(one)), [...reached].filter((one) => !byPath.has(one))];
  return { files: own, packages: others.filter((name) => !name.startsWith("node:")) };
}

/** What the command line reads at its start, in any room: declarations, which load nothing but `base` and each other. */
const DECLARATION = /\.(?:operation|inputs|part)\.ts$/;

export function declarationFaults(files: readonly SourceFile[]): string[] {
  const light = (target: string): boolean => roomOf(target) === "base" || DECLARATION.test(target);
  return files
    .filter(({ path }) => DECLARATION.test(path))
    .flatMap((file) =>
      everyImportOf(file)
        .filter(({ kind, target }) => kind === "value" && !target.startsWith("node:") && !light(target))
        .map(({ target }) => `${fileOf(file.path)} loads ${target}; a declaration loads base and declarations only.`),
    );
}

/** Rooms and packages beyond `rooms` that are loaded as soon as `start` is; each with the first file that asks for it. */
export function startUpFaults(files: readonly SourceFile[], start: string, rooms: readonly string[]): string[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reached = new Set([start]);
  const faults: string[] = [];
  for (const path of reached) {
    const file = byPath.get(path);
    if (file === undefined) continue;
    for (const { kind, target } of everyImportOf(file)) {
      if (kind !== "value" || reached.has(target) || target.startsWith("node:")) continue;
      const isAtHome = rooms.includes(roomOf(target)) || DECLARATION.test(target);
      if (byPath.has(target) && isAtHome) reached.add(target);
      else faults.push(`${fileOf(path)} loads ${target} before any command runs; import it where it is used.`);
    }
  }
  return faults;
}

/** The names behind `export { … }` and `export const NAME`; of `a as b` it is b. */
export function exportsOf(text: string): { readonly values: string[]; readonly types: string[] } {
  const found = { values: [] as string[], types: [] as string[] };
  const bare = text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
  for (const [, type, list = ""] of bare.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)) {
    for (const item of list.split(",").map((word) => word.trim())) {
      const name = item.split(/\s+/).at(-1) ?? "";
      if (name !== "") (type !== undefined || item.startsWith("type ") ? found.types : found.values).push(name);
    }
  }
  for (const [, kind, name = ""] of bare.matchAll(
    /^export\s+(?:async\s+)?(const|let|function|class|type|interface)\s+(\w+)/gm,
  )) {
    (kind === "type" || kind === "interface" ? found.types : found.values).push(name);
  }
  return found;
}

/** Pairs of names that differ only in case. */
export function differingInCase(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  return names.flatMap((name) => {
    const first = seen.get(name.toLowerCase());
    seen.set(name.toLowerCase(), name);
    return first === undefined ? [] : [`${first}/${name}`];
  });
}
