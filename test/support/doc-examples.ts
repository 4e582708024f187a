/** The examples in doc comments and on the pages, as programs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, normalize } from "node:path/posix";
import { fileOf, namedPath, sourcesIn } from "../../scripts/layout.ts";
import { docPages } from "../../scripts/docs/page-list.ts";
import { exportsOf } from "./house.ts";

export interface DocExample {
  /** What it belongs to: `train`, or `library-3` for the third snippet of the page. */
  readonly name: string;
  /** Where it stands. */
  readonly place: string;
  /** The whole program, imports included. */
  readonly program: string;
  /** Whether it runs as it stands; others are compiled only. */
  readonly runs: boolean;
}

export interface Door {
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
}

/** The doors of the package, with the files they are built from. */
export function doorsOf(root: string): Door[] {
  const { exports: subpaths } = JSON.parse(readFileSync(join(root, "packages/limbeck/package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  return Object.entries(subpaths).flatMap(([path, to]) => {
    if (!to.endsWith(".ts") || path.includes("*")) return [];
    return [{ name: path.replace(/^\./, "limbeck"), file: to.replace("./", "packages/limbeck/") }];
  });
}

/** A function or class that a door leads to. */
export interface DoorFunction {
  readonly door: string;
  readonly name: string;
  /** The file that declares it, from the root of the repository. */
  readonly place: string;
}

/** Every function and class behind the doors; one behind two doors is there twice. */
export function doorFunctions(root: string): DoorFunction[] {
  const read = createReader(root);
  return doorsOf(root).flatMap(({ name: door, file }) =>
    exportsOf(read(file)).values.flatMap((name) => {
      const place = declaredIn(file, name, read);
      return isFunctionOf(read(place), name) ? [{ door, name, place }] : [];
    }),
  );
}

function createReader(root: string): (path: string) => string {
  const texts = new Map<string, string>();
  return (path) => {
    const text = texts.get(path) ?? readFileSync(join(root, path), "utf8");
    texts.set(path, text);
    return text;
  };
}

/** The file that declares a name which another file passes on. */
function declaredIn(file: string, name: string, read: (path: string) => string): string {
  const named = new RegExp(
    String.raw`^(?:import|export) \{[^}]*(?<![\w-])${name}(?!\w)[^}]*\} from "((?:\.|limbeck-)[^"]+)"`,
    "m",
  );
  const from = named.exec(read(file))?.[1];
  return from === undefined ? file : declaredIn(fileNamed(from, file), name, read);
}

/** What an import of our sources leads to, from the root of the repository. */
function fileNamed(specifier: string, from: string): string {
  const named = namedPath(specifier);
  return named === undefined ? normalize(`${dirname(from)}/${specifier}`) : fileOf(named);
}

function isFunctionOf(text: string, name: string): boolean {
  const plain = String.raw`(?:(?:async )?function\*?|(?:abstract )?class) ${name}(?!\w)`;
  const constant = String.raw`const ${name}(?!\w).* = (?:async )?(?:<.*>)?\(`;
  return new RegExp(`^export (?:${plain}|${constant})`, "m").test(text);
}

/** Every `@example` of an exported function or constant. */
function commentExamples(root: string): DocExample[] {
  const read = createReader(root);
  const doors = doorsOf(root).map(({ name, file }) => ({ name, file, ...exportsOf(read(file)) }));
  return sourcesIn(root)
    .filter(({ path }) => !path.endsWith(".test.ts"))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1))
    .flatMap(({ path, text }) => {
      const found = text.matchAll(
        /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\nexport (?:async |abstract )?(?:function\*?|const|class) (\w+)/g,
      );
      return [...found].flatMap(([, comment = "", name = ""]) => {
        const body = /@example\n([\s\S]*)$/
          .exec(comment)?.[1]
          ?.replaceAll(/^ \* ?/gm, "")
          .trimEnd();
        if (body === undefined) return [];
        const place = fileOf(path);
        const own = doors.find(({ file, values }) => values.includes(name) && declaredIn(file, name, read) === place);
        return [{ name, place, program: withImports(body, name, own?.name ?? sourceName(place), doors), runs: true }];
      });
    });
}

/** How an example of what no door has names a file: `limbeck-core/credit/assign` is packages/core/src/credit/assign.ts. */
function sourceName(place: string): string {
  return place.replace(/^packages\/([\w-]+)\/src\/(.*)\.ts$/, (_, name: string, path: string) =>
    name === "limbeck" ? `limbeck/src/${path}.ts` : `limbeck-${name}/${path}`,
  );
}

/** Names of the front door need no import in an example, and neither does the thing itself. */
function withImports(
  body: string,
  name: string,
  home: string,
  doors: readonly { readonly name: string; readonly values: readonly string[] }[],
): string {
  const front = doors.find((door) => door.name === "limbeck")?.values ?? [];
  const code = body.replaceAll(/\/\/.*$/gm, "").replaceAll(/"[^"]*"/g, '""');
  const said = new Set(code.match(/(?<![.\w])[A-Za-z_]\w*(?!\w*:)/g) ?? []);
  const declared = new Set(
    [...code.matchAll(/(?:const|let|function|import) (?:\{([^}]*)\}|(\w+))/g)].flatMap(([, list = "", one = ""]) => [
      ...list.split(",").map(
        (word) =>
          word
            .trim()
            .split(/\s+as\s+|:\s*/)
            .at(-1) ?? "",
      ),
      one,
    ]),
  );
  const wanted = front.filter((word) => said.has(word) && !declared.has(word));
  const lines = wanted.length === 0 ? [] : [`import { ${wanted.join(", ")} } from "limbeck";`];
  if (!front.includes(name)) lines.push(`import { ${name} } from "${home}";`);
  return `${[...lines, body].join("\n")}\n\nexport {};\n`;
}

/** What a comment before a block says of it: `<!-- snippet not run: it needs a GPU -->`. */
const MARKED =
  /(?:<!-- (snippet (?:given|not run|tested by)|fill code):? ?([\s\S]*?)-->\n+)?^```(?:ts|js)\n([\s\S]*?)^```$/gm;

/**
 * The programs of a page. A comment before a block says what it takes as given (it is compiled with that, and not run), why
 * it is not run, or which test has it; code that is filled in from a file is tested there. Without one it is run.
 */
function pageExamples(root: string, page: string): DocExample[] {
  const text = readFileSync(join(root, page), "utf8");
  const stem = page.replace(/^.*\//, "").replace(/\.md$/, "");
  return [...text.matchAll(MARKED)].flatMap(([, mark, said = "", body = ""], at) => {
    if (mark === "fill code" || mark === "snippet tested by") {
      if (!existsSync(join(root, said.trim()))) throw new Error(`${page}: there is no "${said.trim()}".`);
      return [];
    }
    const given = mark === "snippet given" ? `${said}\n` : "";
    return [
      { name: `${stem}-${at + 1}`, place: page, program: `${given}${body}\nexport {};\n`, runs: mark === undefined },
    ];
  });
}

/** Every page that a reader may type from. */
export function readersPages(root: string): string[] {
  return ["README.md", "CONTRIBUTING.md", ...docPages(root)];
}

/** All of them, those of comments first. */
export function allExamples(root: string): DocExample[] {
  return [...commentExamples(root), ...readersPages(root).flatMap((page) => pageExamples(root, page))];
}

/** What an example says it prints, line by line: `console.log(2); // 2`. */
export interface Claim {
  readonly line: string;
  /** None where the line says nothing. */
  readonly says: string | undefined;
}

/** Begins the line that tells which `console.log` of a program comes next. */
const MARK = "printed by console.log number ";

/** The program with a mark before whatever it prints, and what each of its lines says it prints. */
export function withMarks(program: string): { readonly program: string; readonly claims: readonly Claim[] } {
  const claims: Claim[] = [];
  const lines = program.split("\n").map((line) => {
    const [, says] = /\/\/ (.*)$/.exec(line) ?? [];
    return line.replaceAll("console.log(", () => {
      claims.push({ line: line.trim(), says });
      return `(console.log("${MARK}${claims.length - 1}"), console.log)(`;
    });
  });
  return { program: lines.join("\n"), claims };
}

/** Lines that print something else than they say, each with what it printed. `output` is that of a marked program. */
export function wrongClaims(claims: readonly Claim[], output: string): string[] {
  const printed = new Map(
    output
      .split(MARK)
      .slice(1)
      .map((text): [number, string] => [Number.parseInt(text, 10), text.slice(text.indexOf("\n"))]),
  );
  return claims.flatMap(({ line, says }, at) => {
    const found = asWritten(printed.get(at) ?? "");
    return says === undefined || asWritten(says) === found ? [] : [`${line} prints ${found}`];
  });
}

/** As a comment has it: in one line, with double quotes. */
function asWritten(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("'", '"').trim();
}
