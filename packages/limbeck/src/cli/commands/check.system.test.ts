/** Files of one's own on the command line, in real processes: check, explain, train, resume. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../../test/support/command-line.ts";

/** Command lines of one process, whose start would be the most of each; a changed file between them. Its last line is what they did. */
const SEVERAL = `
import { appendFile } from "node:fs/promises";
import { main } from ${JSON.stringify(new URL("../packages/limbeck/dist/cli/index.js", pathToFileURL(COMMAND_LINE)).href)};
const did = {};
for (const [name, { words, append }] of Object.entries(JSON.parse(process.argv[2]))) {
  if (append !== undefined) await appendFile(...append);
  const one = { out: "", err: "" };
  const code = await main(words, {
    out: (text) => (one.out += text),
    err: (text) => (one.err += text),
    env: process.env,
    cwd: process.cwd(),
    terminal: { out: false, err: false, in: false, columns: 80 },
    now: () => 0,
    signal: new AbortController().signal,
  });
  did[name] = { ...one, code };
}
process.stdout.write("\\n" + JSON.stringify(did));
process.exit();
`;

const good = fileURLToPath(new URL("../../../../../test/broken-parts/good-parts.ts", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "own-parts-"));
  await copyFile(good, join(folder, "good-parts.ts"));
  const parts = 'import { agent, reward, world } from "./good-parts.ts";\n';
  await writeFile(
    join(folder, "world.ts"),
    `${parts}console.log("a line of the file");\nprocess.stdout.write("another\\n");\nexport default world();\n`,
  );
  await writeFile(
    join(folder, "random.ts"),
    `${parts}export default world({}, { get observation() { return String(Math.random()); } });\n`,
  );
  await writeFile(
    join(folder, "reward.ts"),
    `${parts}let calls = 0;
export default reward((batch) => {
  calls += 1;
  if (calls > 2) throw new RangeError("too often");
  return { awards: batch.map(() => [{ score: { kind: "scored", value: 1 } }]) };
});\n`,
  );
  await writeFile(
    join(folder, "exits.ts"),
    `${parts}export default world({}, { step: async () => process.exit(3) });\n`,
  );
  await writeFile(join(folder, "several.mjs"), SEVERAL);
  await writeFile(join(folder, "plain.ts"), `export default { id: "mine", tasks: () => [], open: () => undefined };\n`);
  await writeFile(
    join(folder, "agent.mjs"),
    `import { agent } from "./good-parts.ts";
export default agent(() => ({ id: "on", summary: "Goes on.", start: () => ({ next: () => "on" }) }));\n`,
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

function node(...words: string[]): Promise<Ran> {
  return new Promise((done) => {
    execFile(process.execPath, words, { cwd: folder }, (error, out, err) =>
      done({ code: error === null ? 0 : Number(error.code), out, err }),
    );
  });
}
const limbeck = (...words: string[]): Promise<Ran> => node(COMMAND_LINE, ...words);

interface Step {
  readonly words: readonly string[];
  /** Before it: a file, and what is written to its end. */
  readonly append?: readonly [file: string, text: string];
}

const training = [
  "train",
  "--env",
  "./world.ts",
  "--reward",
  "./reward.ts",
  "--recipe",
  "grpo",
  "--dir",
  "run",
  "--json",
];
const sizes = ["tasks=1", "group=2", "maxSteps=2"].flatMap((one) => ["--set", one]);
training.push(...sizes, "--steps", "4", "--report-tasks", "1", "--validate-every", "0", "--checkpoint-every", "1");
const STEPS = {
  random: { words: ["check", "./random.ts", "--runs", "3", "--json"] },
  played: { words: ["eval", "--env", "./world.ts", "--policy", "./agent.mjs", "--tasks", "2", "--json"] },
  told: { words: ["explain", "./world.ts", "--json"] },
  wrong: { words: ["train", "--env", "./reward.ts", "--json"] },
  plain: { words: ["play", "--env", "./plain.ts"] },
  dry: { words: ["check", "--env", "./world.ts", "--answer", "on", "--tasks", "2", "--json"] },
  both: { words: ["check", "./world.ts", "--env", "./world.ts"] },
  stopped: { words: training },
  changed: { words: [...training, "--resume"], append: ["reward.ts", "// another content\n"] },
} satisfies Readonly<Record<string, Step>>;
let did: Readonly<Record<keyof typeof STEPS, Ran>>;
beforeAll(async () => {
  await limbeck("--version");
  const { out, err } = await node("several.mjs", JSON.stringify(STEPS));
  if (err !== "") throw new Error(err);
  did = JSON.parse(out.split("\n").at(-1) ?? "") as typeof did;
}, 120_000);

const lines = (out: string): Record<string, unknown>[] =>
  out
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("check says which promises hold, and its lines are not mixed with those of the file", async () => {
  const { code, out, err } = await limbeck("check", "./world.ts", "--runs", "3", "--json");
  expect(lines(out).at(-1)).toMatchObject({ kind: "environment", checks: 12, failed: 0 });
  expect(err).toContain("a line of the file");
  expect(err).toContain("another");
  expect(code).toBe(0);
});

test("check names what is broken, with the shortest script, and ends with 1", () => {
  const { code, out } = did.random;
  const broken = lines(out).find(({ ok }) => ok === false);
  expect(JSON.stringify(broken)).toMatch(/env-contract.*differs.*Script: \[\[/);
  expect(code).toBe(1);
});

test("where the suites' own package is missing no promise is called broken; the line to type is said", async () => {
  const script = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
  const hook = script(`export async function resolve(name, context, next) {
    if (name === "fast-check") throw Object.assign(new Error("gone"), { code: "ERR_MODULE_NOT_FOUND" });
    return next(name, context);
  }`);
  const without = script(`import { register } from "node:module"; register(${JSON.stringify(hook)});`);
  const { code, out, err } = await node("--import", without, COMMAND_LINE, "check", "./world.ts");
  expect([code, err]).toEqual([1, expect.stringContaining("A contract suite needs fast-check")]);
  expect(out).not.toContain("broken");
});

test("a world and an agent of files are played, and explained", () => {
  expect(lines(did.played.out)[0]).toMatchObject({ solved: 2, meanSteps: 3 });
  expect(lines(did.told.out)[0]).toMatchObject({ room: "env", title: "T", file: join(folder, "world.ts") });
});

test("a dry run of a world says what each player earns, and that nothing is wrong", () => {
  const { code, out } = did.dry;
  expect(lines(out).find(({ player }) => player === "answers")).toMatchObject({ episodes: 2, solved: 2, refused: 0 });
  expect(lines(out).at(-1)).toMatchObject({ failed: 0 });
  expect(code).toBe(0);
  expect(did.both.code).toBe(2);
  expect(did.both.err).toContain("either");
});

test("the wrong kind of file is refused before anything is played", () => {
  expect(did.wrong.err).toContain("wanted here: environment; found: reward");
  expect(did.wrong.code).toBe(3);
});

test("a world that no define function made is refused with the line to write", () => {
  expect(did.plain.err).toContain('export default defineWorld({ id: "mine"');
  expect(did.plain.code).toBe(3);
});

test("a training stops with the line that failed, keeps what it had, and says at --resume that a file has changed", () => {
  const { stopped, changed } = did;
  expect(stopped.err).toMatch(/part-failed.*RangeError: too often \(reward\.ts:5\)/);
  expect(lines(stopped.out).filter(({ event }) => event === "update").length).toBe(2);
  expect(stopped.code).toBe(1);
  expect(changed.err).toMatch(/other-training.*reward\.ts.* has changed since the run was started/);
  expect(changed.code).toBe(2);
});

const EXITS = /part-exits/;

test.each([
  ["this process", ["train", "--steps", "1", "--report-tasks", "1", "--recipe", "grpo"]],
  ["a thread", ["train", "--steps", "1", "--report-tasks", "1", "--recipe", "grpo", "--lag", "1"]],
  [
    "processes of an arena",
    ["arena", "--recipes", "grpo", "--seeds", "1", "--budget", "updates=1", "--final-tasks", "0"],
  ],
])(
  "a world that ends the process is named: in %s",
  async (where, words) => {
    const { code, out, err } = await limbeck(
      ...words,
      "--env",
      "./exits.ts",
      "--dir",
      `exits-${where.replaceAll(" ", "-")}`,
      ...sizes,
      "--json",
    );
    expect([code, EXITS.test(err + out)]).toEqual([1, true]);
  },
  120_000,
);
