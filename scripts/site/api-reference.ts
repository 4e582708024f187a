/** The API reference: one page for each door, from the doc comments. Made when the site is built, and kept nowhere. */
import { type Declaration, type Door, type Kind, readDoors } from "../docs/declarations.ts";
import { cell, table } from "../docs/markdown.ts";

const TITLES: readonly (readonly [Kind, string])[] = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["const", "Constants"],
  ["interface", "Interfaces"],
  ["type", "Types"],
];

export interface ApiPage {
  /** `api/credit.md`. */
  readonly path: string;
  readonly door: string;
  readonly text: string;
}

/** Where an entry stands: on the page of the first door that has it. */
type Homes = ReadonlyMap<Declaration, { readonly door: string; readonly alias: string }>;

export function apiReference(doors: readonly Door[] = readDoors()): ApiPage[] {
  const homes = new Map<Declaration, { readonly door: string; readonly alias: string }>();
  for (const { name: door, names } of doors) {
    for (const [alias, [first]] of names)
      if (first !== undefined && !homes.has(first)) homes.set(first, { door, alias });
  }
  const pages = doors.map((door) => ({ path: pathOf(door.name), door: door.name, text: doorPage(door, homes) }));
  const rows = doors.map(({ name, plate, names }) => [
    `[\`${name}\`](${linkOf(name, "api/index.md")})`,
    String(names.size),
    cell(firstSentence(plate)),
  ]);
  const text = [
    "# API reference",
    "Every public name with its doc comment, made from the sources when this site is built. A name that several doors have stands on the page of the first. Every example here is compiled and run by the tests. [From code](../learn/library.md) is the way in; [public names](../lookup/generated/api.md) has all of them on one page.",
    table(["door", "names", "what it is for"], rows),
  ];
  return [{ path: "api/index.md", door: "All doors", text: `${text.join("\n\n")}\n` }, ...pages];
}

function pathOf(door: string): string {
  return `api/${door === "limbeck" ? "limbeck" : door.replace("limbeck/", "").replaceAll("/", "-")}.md`;
}

function linkOf(door: string, from: string): string {
  return pathOf(door).replace(from.replace(/[^/]*$/, ""), "");
}

function doorPage({ name: door, plate, names }: Door, homes: Homes): string {
  const own: [string, readonly Declaration[]][] = [];
  const elsewhere: string[] = [];
  for (const [alias, declared] of [...names].toSorted(([left], [right]) => left.localeCompare(right, "en"))) {
    const home = declared[0] === undefined ? undefined : homes.get(declared[0]);
    if (home === undefined || (home.door === door && home.alias === alias)) own.push([alias, declared]);
    else elsewhere.push(`[\`${alias}\`](${linkOf(home.door, pathOf(door))}#${anchorOf(home.alias)})`);
  }
  const sections = TITLES.flatMap(([kind, title]) => {
    const of = own.filter(([, declared]) => declared[0]?.kind === kind);
    return of.length === 0 ? [] : [`## ${title}`, ...of.map(([alias, declared]) => entry(alias, declared))];
  });
  return `---\npageClass: api\n---\n\n${[
    `# ${door}`,
    prose(plate),
    ["```ts", `import { … } from "${door}";`, "```"].join("\n"),
    ...sections,
    ...(elsewhere.length === 0 ? [] : ["## Also behind this door", elsewhere.join(" · ")]),
  ].join("\n\n")}\n`;
}

function entry(alias: string, declared: readonly Declaration[]): string {
  const documented = declared.find(({ comment }) => comment !== "") ?? declared[0];
  const [text = "", example] = (documented?.comment ?? "").split(/^@example[ \t]*\n/m);
  const signatures = declared.map((one) => written(one, alias)).join("\n");
  return [
    `### ${alias}`,
    ...(text.trim() === "" ? [] : [prose(text)]),
    ["```ts", signatures, "```"].join("\n"),
    ...(example === undefined ? [] : ["Example:", ["```ts", example.trim(), "```"].join("\n")]),
    `Source: \`${declared[0]?.file ?? ""}\``,
  ].join("\n\n");
}

/** Four spaces of the compiler become two, and a name that the door gives another is said. */
function written({ text, name }: Declaration, alias: string): string {
  const lines = text.replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 2));
  return alias === name ? lines : `// ${name}, here as ${alias}\n${lines}`;
}

function anchorOf(name: string): string {
  return name.toLowerCase();
}

function firstSentence(text: string): string {
  return text.replaceAll(/\s+/g, " ").replace(/\. .*$/, ".");
}

/** Doc comments are plain text with code in back-quotes: what looks like a tag or a link is neither. */
function prose(text: string): string {
  return text
    .trim()
    .split(/(`[^`]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : part.replaceAll(/[<>[\]*_|\\]/g, (mark) => `\\${mark}`)))
    .join("");
}
