/**
 * Would the tests notice? Small faults are drawn by a seed, four in each of the ten largest rooms, and put into the sources one after
 * the other; the tests that reach the file run until one fails.
 *
 *     npx tsx test/mutations.ts --list                       what is drawn
 *     npx tsx test/mutations.ts                              by all tests
 *     npx tsx test/mutations.ts --projects plain,models      by those
 *     npx tsx test/mutations.ts --repo ../before --seed 49 --only 3,7
 *     npx tsx test/mutations.ts --plan drawn.jsonl           those that --list printed of another checkout, where their line is still there
 *
 * Sources are put back afterwards, also on Ctrl-C. One JSON line a fault.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { fileOf, sourcesIn } from "../scripts/layout.ts";
import { createRng, shuffle, type Rng } from "../packages/base/src/base/rng.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    rooms: { type: "string", default: "10" },
    per: { type: "string", default: "4" },
    repo: { type: "string", default: "." },
    projects: { type: "string" },
    only: { type: "string" },
    plan: { type: "string" },
    list: { type: "boolean", default: false },
  },
});
const root = resolve(values.repo);

interface Mutation {
  readonly file: string;
  readonly line: number;
  /** The whole line. */
  readonly text: string;
  readonly at: number;
  readonly from: string;
  readonly to: string;
}

/** What is found in code, and what stands there afterwards. Types stay what they were. */
const CHANGES: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/ (?:<=|>=) /g, (found) => found.replace("=", "")],
  [/ [<>] (?=[\w(])/g, (found) => `${found.trimEnd()}= `],
  [/ === /g, () => " !== "],
  [/ !== /g, () => " === "],
  [/ && /g, () => " || "],
  [/ \|\| /g, () => " && "],
  [/(?<=[\w)\]]) \+ (?=[\w(])/g, () => " - "],
  [/ - (?=[\w(])/g, () => " + "],
  [/ \* /g, () => " + "],
  [/\btrue\b(?=[;,)\s])/g, () => "false"],
  [/\bfalse\b(?=[;,)\s])/g, () => "true"],
  [/(?<=[ (,[])\d+(?=[;,)\]])/g, (found) => String(Number(found) + 1)],
];

/** The same text with blanks for comments, strings and types of interfaces, so that places stay. */
function codeOf(text: string): string {
  const blank = (found: string): string => found.replace(/[^\n]/g, " ");
  return text
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(/(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)/g, blank)
    .replace(/\/\/[^\n]*/g, blank)
    .replace(/^(?:export )?(?:interface|type) [\s\S]*?^\}/gm, blank)
    .replace(/^(?:export )?type [^;]*;/gm, blank)
    .replace(/^import [^;]*;/gm, blank);
}

function mutationsOf(file: string): Mutation[] {
  const text = readFileSync(join(root, file), "utf8");
  const code = codeOf(text);
  return CHANGES.flatMap(([pattern, change]) =>
    [...code.matchAll(pattern)].map(({ 0: from, index: at }) => ({
      file,
      line: code.slice(0, at).split("\n").length,
      text: text.slice(text.lastIndexOf("\n", at - 1) + 1, text.indexOf("\n", at)),
      at,
      from,
      to: change(from),
    })),
  );
}

function drawn(): Mutation[] {
  const files = sourcesIn(root)
    .filter(({ path }) => /^[^.]+\.ts$/.test(path))
    .map(({ path }) => path)
    .sort();
  const rooms = new Map<string, { lines: number; files: string[] }>();
  for (const file of files) {
    const name = file.split("/")[0] ?? "";
    const room = rooms.get(name) ?? { lines: 0, files: [] };
    rooms.set(name, room);
    room.lines += readFileSync(join(root, fileOf(file)), "utf8").split("\n").length;
    room.files.push(fileOf(file));
  }
  const largest = [...rooms].sort(([, one], [, other]) => other.lines - one.lines).slice(0, Number(values.rooms));
  const rng = createRng(values.seed);
  return largest.flatMap(([name, room]) => fromRoom(room.files, rng.split(name)));
}

/** No two of one file. */
function fromRoom(files: readonly string[], rng: Rng): Mutation[] {
  const found: Mutation[] = [];
  for (const file of shuffle(files, rng)) {
    const [mutation] = shuffle(mutationsOf(file), rng);
    if (mutation !== undefined) found.push(mutation);
    if (found.length === Number(values.per)) break;
  }
  return found;
}

interface Planned extends Omit<Mutation, "at"> {
  readonly column: number;
}

/** The same faults in this checkout. One whose line is gone is left out by name. */
function planned(path: string): (Mutation | undefined)[] {
  return readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .map((json) => {
      const { column, ...mutation } = JSON.parse(json) as Planned;
      const file = join(root, mutation.file);
      const source = existsSync(file) ? readFileSync(file, "utf8") : "";
      const lines = source.split("\n");
      const found = lines.flatMap((text, at) => (text === mutation.text ? [at] : []));
      const nearest = found.sort(
        (one, other) => Math.abs(one + 1 - mutation.line) - Math.abs(other + 1 - mutation.line),
      )[0];
      if (nearest === undefined) {
        process.stdout.write(`${JSON.stringify({ ...mutation, gone: true })}\n`);
        return undefined;
      }
      const before = lines.slice(0, nearest).reduce((total, text) => total + text.length + 1, 0);
      return { ...mutation, line: nearest + 1, at: before + column };
    });
}

const projects = values.projects?.split(",").flatMap((name) => ["--project", name]) ?? [];

/** The first test that fails; those beside the file are asked first. */
function caughtBy({ file }: Mutation): string | undefined {
  for (const asked of [
    ["run", `${dirname(file)}/`],
    ["related", "--run", file],
  ]) {
    const words = ["vitest", ...asked, "--bail", "1", "--reporter", "json", "--passWithNoTests", ...projects];
    const { status, stdout } = spawnSync("npx", words, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
    if (status === 0) continue;
    const report = JSON.parse(stdout.slice(stdout.indexOf("{"), stdout.lastIndexOf("}") + 1)) as Report;
    const failed = report.testResults.find((one) => one.status === "failed");
    const test = failed?.assertionResults.find((one) => one.status === "failed");
    return `${failed?.name.slice(root.length + 1)}: ${test?.fullName ?? "its imports"}`;
  }
  return undefined;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

const wanted = values.only?.split(",").map(Number);
for (const [index, mutation] of (values.plan === undefined ? drawn() : planned(values.plan)).entries()) {
  if (mutation === undefined || (wanted !== undefined && !wanted.includes(index))) continue;
  const { file, line, at, from, to } = mutation;
  const says = { index, file, line, from: from.trim(), to: to.trim() };
  const path = join(root, file);
  const text = readFileSync(path, "utf8");
  if (values.list) {
    const column = at - (text.lastIndexOf("\n", at - 1) + 1);
    process.stdout.write(`${JSON.stringify({ ...mutation, index, column })}\n`);
    continue;
  }
  const restore = (): void => writeFileSync(path, text);
  process.once("SIGINT", restore);
  try {
    writeFileSync(path, text.slice(0, at) + to + text.slice(at + from.length));
    const start = performance.now();
    const by = caughtBy(mutation);
    const seconds = Math.round((performance.now() - start) / 1_000);
    process.stdout.write(`${JSON.stringify({ ...says, caught: by !== undefined, by, seconds })}\n`);
  } finally {
    restore();
    process.off("SIGINT", restore);
  }
}
