/** What `--json` prints is a promise: one object per line, and no field that the help does not explain. */
import { execFile } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { COMMAND_LINE } from "../../../../test/support/command-line.ts";
import { limbeck, type Ran } from "../../../../test/support/fake-io.ts";
import { block, expectGolden, masked } from "../../../../test/support/golden.ts";
import { redisThere, startRedis, type TestRedis } from "../../../../test/support/redis.ts";
import { writeTinyModel } from "../../../../test/support/tiny-folder.ts";
import { sampleStore } from "../../../../test/support/sample-store.ts";
import { credits } from "limbeck-core/credit/registry";
import { commands } from "./index.ts";

let store: Awaited<ReturnType<typeof sampleStore>>;
let file: string;
let redis: TestRedis | undefined;
beforeAll(async () => {
  if (redisThere) redis = await startRedis();
  store = await sampleStore();
  file = `${store.root}-export`;
  await writeTinyModel(`${file}.model`);
  await writeTinyModel(`${file}.start`, 1, 2_048);
  await writeFile(`${file}.rows`, '{"text": "yes", "messages": [{"role": "assistant", "content": "yes"}]}\n');
  await writeFile(`${file}.jsonl`, '{"messages": []}\nnonsense\n');
  await mkdir(`${file}.planted/avoid`, { recursive: true });
  await writeFile(`${file}.planted/avoid/SKILL.md`, "---\nname: avoid\ndescription: d\nlevel: general\n---\nWait.\n");
  await mkdir(`${file}.ci/.git`, { recursive: true });
  const row = (task: number, success: boolean): string => `{"task": "${task}", "success": ${success}}\n`;
  await writeFile(`${file}.before`, row(1, false) + row(2, true));
  await writeFile(`${file}.after`, row(1, true) + row(2, true));
  await writeFile(`${file}.rollouts`, '{"input":"a","output":"b","gts":"b","score":1,"step":1,"acc":true}\n');
  await writeFile(`${file}.batch.json`, JSON.stringify(credits.gae.example.batch));
});
afterAll(async () => {
  await redis?.close();
  await store.remove();
  for (const ending of [
    "model",
    "rows",
    "tuned",
    "games",
    "html",
    "start",
    "demo",
    "arena",
    "tune",
    "library",
    "pairs",
    "planted",
    "project",
    "warm",
    "before",
    "after",
    "rollouts",
    "ci",
  ])
    await rm(`${file}.${ending}`, { force: true, recursive: true });
  await rm(file, { force: true, recursive: true });
  await rm(`${file}.jsonl`, { force: true });
  await rm(`${file}.batch.json`, { force: true });
});

/** A training that is over at once. */
const SMALL = ["tasks=1", "group=2", "answerTokens=3", "maxSteps=2"].flatMap((setting) => ["--set", setting]);

/** An agent that asks once. */
const ASKING =
  'fetch(process.env.OPENAI_BASE_URL + "/responses", { method: "POST", body: JSON.stringify({ input: "Hi" }) })';

const TINY = ["--env", "household", "--env-set", "dial=tiny"];

/** Every present command, in every way that prints other fields. They run in this order. */
const invocations: readonly (readonly string[])[] = [
  ["agent", "run", "--model", "START", "--max-tokens", "2", "--", process.execPath, "-e", ASKING],
  ["arena", "--dry-run", "--vary", "group=2,4"],
  [
    "arena",
    "--model",
    "START",
    "--dir",
    "ARENA",
    "--recipes",
    "grpo,rloo",
    "--seeds",
    "1",
    "--budget",
    "updates=1",
    "--validation-tasks",
    "1",
    "--final-tasks",
    "1",
    "--jobs",
    "2",
    "--search",
    "best-of-n",
    "--search-set",
    "n=2",
    ...SMALL,
  ],
  ["audit", "ROLLOUTS"],
  ["ci", "PROJECT.ci"],
  ["compare", "BEFORE", "AFTER"],
  ["start"],
  ["catalog"],
  ["catalog", "OPID"],
  ["compact"],
  ["completion", "bash"],
  ["credit", "--method", "gae", "--in", "BATCH"],
  ["demo", "--model", "START", "--dir", "DEMO", "--threads", "1", "--steps", "1", "--report-tasks", "1", ...SMALL],
  ["tail", "DEMO", "--last", "1"],
  ["doctor"],
  ["envs"],
  ["envs", "household"],
  ["generate", "--env", "household", "--set", "dial=tiny", "--count", "1", "--out", "GAMES"],
  ["init", "PROJECT", "--template", "text-world"],
  ["play", "--env", "household", "--set", "dial=tiny"],
  ["rollout", "--env", "household", "--env-set", "dial=tiny", "--policy", "expert", "--count", "1", "--run", "rolled"],
  ["eval", ...TINY, "--policy", "expert", "--against", "guesser", "--tasks", "2", "--samples", "2", "--rubrics"],
  ["search", ...TINY, "--policy", "wanderer", "--tasks", "2", "--set", "n=2", "--budget", "envSteps=40"],
  ["eval", ...TINY, "--policy", "wanderer", "--search", "best-of-n", "--search-set", "n=2", "--tasks", "2"],
  ["eval", "--run", "rolled", "--reward", "efficiency", "--keep"],
  ["diff", "demo", "rolled", "--all"],
  ["report", "demo", "--out", "REPORT"],
  ["runs"],
  ["runs", "show", "demo"],
  ["show", "kitchen-1"],
  ["show", "hostile-1"],
  ["sql", "--tables"],
  ["sql", "select 1"],
  ["explain", "opid"],
  ["methods"],
  ["models", "list", "--dir", "MODELS"],
  ["sample", "--model", "MODEL", "--prompt", "the", "--max-tokens", "2"],
  ["score", "--model", "MODEL", "--in", "ROWS", "--entropy"],
  ["sft", "--model", "MODEL", "--in", "ROWS", "--format", "openai-chat", "--out", "TUNED"],
  [
    "draft-heads",
    "--model",
    "START",
    "--env",
    "countdown",
    "--count",
    "1",
    "--group",
    "2",
    "--max-steps",
    "1",
    "--max-tokens",
    "4",
    "--steps",
    "1",
    "--threads",
    "1",
  ],
  ["train", "--settings"],
  [
    "warm-up",
    "--env",
    "countdown",
    "--base",
    "START",
    "--out",
    "WARM",
    "--demonstrations",
    "2",
    "--steps",
    "1",
    "--validation-tasks",
    "1",
    "--threads",
    "1",
  ],
  ["tune", "--dry-run"],
  [
    "tune",
    "--model",
    "START",
    "--dir",
    "TUNE",
    "--over",
    "learningRate=1e-4,1e-3",
    "--seeds",
    "1",
    "--budget",
    "steps=4",
    "--validation-tasks",
    "1",
    ...SMALL,
  ],
  ["export", "--format", "parquet", "--out", "FILE", "--overwrite"],
  ["import", "FILE", "--run", "copy"],
  ["import", "CHATS", "--lenient"],
  ["feedback", "kitchen-1", "--run", "demo", "--success", "--comment", "well done"],
  ["proxy", "--port", "0", "--for", "0"],
  ["trainer", "--model", "MODEL", "--port", "0", "--for", "0"],
  ["conformance", "tinker", "--cases"],
  ["serve-env", "--env", "household", "--port", "0", "--for", "0"],
  ["worker", "--redis", "REDIS", "--env", "household", "--rewards", "1", "--for", "0"],
  ["fleet", "--redis", "REDIS", "--retry"],
  ["studio", "--port", "0", "--for", "0", "--priority", "5"],
  ["suite"],
  ["suite", "small-worlds", "--policy", "perfect", "--tasks", "1"],
  ["skills", "extract", "--run", "rolled", "--library", "LIBRARY"],
  ["skills", "follow", "SESSIONS", "--from", "claude-code", "--once", "--yes", "--least", "1", "--library", "LIBRARY"],
  ["skills", "promote", "avoid", "--library", "PLANTED"],
  ["skills", "list", "--library", "PLANTED"],
  ["skills", "show", "avoid", "--library", "PLANTED"],
  ["skills", "select", "--goal", "anything", "--library", "PLANTED"],
  ["skills", "report", "avoid", "--outcome", "success", "--library", "PLANTED"],
  ["skills", "tend", "--library", "PLANTED"],
  [
    "lift",
    "--library",
    "PLANTED",
    "--env",
    "countdown",
    "--policy",
    "MODEL",
    "--tasks",
    "1",
    "--max-tokens",
    "2",
    "--threads",
    "1",
  ],
  ["skills", "rollback", "avoid", "--library", "PLANTED"],
  ["mcp", "--http", "--port", "0", "--for", "0"],
  ["templates", "check", "MODEL"],
  ["rewards", "audit", "--only", "plea", "--tasks", "2"],
  ["tokens", "add", "ann", "--role", "write", "--tokens", "TOKENS"],
  ["tokens", "list", "--tokens", "TOKENS"],
  ["tokens", "remove", "ann", "--tokens", "TOKENS"],
  ["traces"],
  ["traces", "summary"],
  ["runs", "delete", "copy", "--yes"],
];

/** What it printed. Those that start processes do so from a program, whose processes are compiled and start sooner. */
async function printedBy(words: readonly string[]): Promise<Pick<Ran, "code" | "out" | "err">> {
  const env = { LIMBECK_STORE: store.root };
  if (!["arena", "tune"].includes(words[0] ?? "") || words.includes("--dry-run")) return await limbeck(words, { env });
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND_LINE, ...words], {
    env: { ...process.env, ...env },
  });
  return { code: 0, out: stdout, err: stderr };
}

test("every command has a case here", () => {
  // A user's file is loaded by a process of its own: check.test.ts. A scorer needs episodes to learn from: reward.test.ts. Edits end in a git
  // repository: optimise.system.test.ts.
  const covered = new Set(["check", "optimise", "reward", ...invocations.map(([name]) => name)]);
  expect(Object.keys(commands).filter((name) => !covered.has(name))).toEqual([]);
});

// Some seventy commands, one after the other, since later ones read what earlier ones stored.
test("every printed field is documented, and every line is one object", { timeout: 600_000 }, async () => {
  const golden: string[] = [];
  for (const words of invocations) {
    // Without a Redis server there is nothing to print; the tests of the commands say so.
    if (words.includes("REDIS") && redis === undefined) continue;
    const given = words.map(
      (word) =>
        ({
          FILE: file,
          PAIRS: `${file}.pairs`,
          CHATS: `${file}.jsonl`,
          BATCH: `${file}.batch.json`,
          BEFORE: `${file}.before`,
          AFTER: `${file}.after`,
          ROLLOUTS: `${file}.rollouts`,
          "PROJECT.ci": `${file}.ci`,
          MODEL: `${file}.model`,
          ROWS: `${file}.rows`,
          TUNED: `${file}.tuned`,
          GAMES: `${file}.games`,
          REPORT: `${file}.html`,
          START: `${file}.start`,
          DEMO: `${file}.demo/run`,
          ARENA: `${file}.arena`,
          TUNE: `${file}.tune`,
          LIBRARY: `${file}.library`,
          PLANTED: `${file}.planted`,
          PROJECT: `${file}.project`,
          SESSIONS: fileURLToPath(new URL("../../../../test/samples/sessions/claude-code", import.meta.url)),
          WARM: `${file}.warm`,
          TOKENS: `${file}.tokens`,
          REDIS: redis?.url ?? "",
        })[word] ?? word,
    );
    // In front of the arguments: behind "--" it would be a word of the agent's own command.
    const { code, out, err } = await printedBy([...given.slice(0, 1), "--json", ...given.slice(1)]);
    // What these say is of this machine, or was recorded elsewhere; of episodes of one moment any may come first.
    if (
      !["doctor", "catalog", "start", "worker", "fleet", "traces", "follow"].some((name) =>
        words.slice(0, 2).includes(name),
      )
    ) {
      const folders = { [relative(process.cwd(), file)]: "FILE", [file]: "FILE", [store.root]: "STORE" };
      golden.push(
        block(
          words.map((word) => masked(word)),
          code,
          // Runs side by side end in either order.
          masked(["arena", "tune"].includes(words[0] ?? "") ? out.split("\n").toSorted().join("\n") : out, folders),
          masked(err, folders),
          1_500,
        ),
      );
    }
    const objects = out
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const known = Object.keys(commands[words[0] as keyof typeof commands].fields);
    const undocumented = new Set(
      objects.flatMap((object) => Object.keys(object)).filter((field) => !known.includes(field)),
    );
    const seen = { words, printed: objects.length > 0, undocumented: known.includes("*") ? [] : [...undocumented] };
    expect(seen).toEqual({ words, printed: true, undocumented: [] });
    expect(out.endsWith("\n")).toBe(true);
  }
  await expectGolden("json", golden);
});
