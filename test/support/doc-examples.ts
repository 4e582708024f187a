/** The examples in doc comments and on the page "From code", as programs. */
import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { exportsOf } from "./house.ts";

export interface DocExample {
  /** What it belongs to: `train`, or `library-3` for the third snippet of the page. */
  readonly name: string;
  /** Where it stands. */
  readonly place: string;
  /** The whole program, imports included. */
  readonly program: string;
}

export interface Door {
  readonly name: string;
  /** Path from the root of the repository. */
  readonly file: string;
}

/** The doors of the package, with the files they are built from. */
export function doorsOf(root: string): Door[] {
  const { exports: subpaths } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly types: string } | string>>;
  };
  return Object.entries(subpaths).flatMap(([path, to]) => {
    if (typeof to === "string") return [];
    const file = to.types.replace("./dist/", "src/").replace(/\.d\.ts$/, ".ts");
    return [{ name: path.replace(/^\./, "limbeck"), file }];
  });
}

/** Every `@example` of an exported function or constant. */
export function commentExamples(root: string): DocExample[] {
  const doors = doorsOf(root).map(({ name, file }) => {
    const { values, types } = exportsOf(readFileSync(join(root, file), "utf8"));
    return { name, values, types };
  });
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
    .toSorted()
    .flatMap((path) => {
      const text = readFileSync(join(root, "src", path), "utf8");
      const found = text.matchAll(
        /\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\nexport (?:async )?(?:function|const|class) (\w+)/g,
      );
      return [...found].flatMap(([, comment = "", name = ""]) => {
        const body = /@example\n([\s\S]*)$/
          .exec(comment)?.[1]
          ?.replaceAll(/^ \* ?/gm, "")
          .trimEnd();
        if (body === undefined) return [];
        const own = doors.find(({ values }) => values.includes(name));
        const place = `src/${path.split(sep).join("/")}`;
        return [{ name, place, program: withImports(body, name, own?.name ?? "limbeck", doors) }];
      });
    });
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

/** The TypeScript blocks of a page. */
export function pageExamples(root: string, page: string): DocExample[] {
  const text = readFileSync(join(root, page), "utf8");
  const stem = page.replace(/^.*\//, "").replace(/\.md$/, "");
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, body = ""], at) => ({
    name: `${stem}-${at + 1}`,
    place: page,
    program: `${body}\nexport {};\n`,
  }));
}
