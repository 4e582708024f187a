/** Runs the command lines of a page, one after the other, at their smallest, in a folder that holds what they speak of. */
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { getCredit } from "../../packages/core/src/credit/registry.ts";
import { limbeck } from "../../test/support/fake-io.ts";
import { whyNotRun } from "./not-run.ts";
import type { PageCommand } from "./page-commands.ts";

export type Outcome =
  | { readonly kind: "ran" }
  | { readonly kind: "not run"; readonly why: string }
  | { readonly kind: "failed"; readonly why: string };

const TRAINING =
  "--report-tasks 1 --validate-every 0 --threads 1 --set tasks=1 --set group=2 --set maxSteps=12 --set answerTokens=8";

/** What stands behind the words of a command so that it is over soon; of two equal options the last counts. */
const SMALL: Readonly<Record<string, string>> = {
  arena: "--seeds 1 --budget updates=1 --final-tasks 0 --set tasks=1 --set group=2 --set maxSteps=2",
  check: "--runs 2",
  demo: "--steps 1 --report-tasks 1 --set tasks=1 --set group=2",
  "draft-heads": "--count 1 --group 2 --steps 1 --max-steps 2",
  eval: "--tasks 1 --threads 1",
  generate: "--count 1",
  rollout: "--count 1 --group 2 --threads 1 --max-steps 2",
  sample: "--max-tokens 4",
  search: "--tasks 1 --threads 1",
  sft: "--steps 1 --threads 1",
  train: `--steps 1 ${TRAINING}`,
  "warm-up": "--demonstrations 8 --steps 1 --validation-tasks 1 --batch 2 --threads 1",
};

/** Names of the reader's own, and what has their place here. */
const STAND_INS: Readonly<Record<string, string>> = {
  RUN: "earlier",
  OTHER: "earlier",
  ID: "earlier",
  2026: "earlier",
  played: "earlier",
  trees: "earlier",
  monday: "earlier",
  "good-run": "earlier",
  "opid-1": "earlier",
  "grpo-1": "earlier",
  "import-1": "earlier",
  "cso-1": "earlier",
  seen: "earlier",
  opid: "opid",
  DIR: "packages/household-model",
  "runs/2026-05/": "examples/bookshop-agent.jsonl",
  "my-model": "packages/household-model",
  base: "packages/household-model",
  agent: "packages/household-model",
  stories: "packages/household-model",
  "models/start": "packages/household-model",
  "models/my-model": "packages/household-model",
  "models/my-base": "packages/household-model",
  "models/larger": "packages/household-model",
  "models/qwen3": "packages/household-model",
  "models/mine": "packages/world-models/tools",
};

/** Names that are a place to write to, not one to read from. */
const NEW = new Set(["--out", "--dir", "--run"]);

export async function* runPage(lines: readonly PageCommand[]): AsyncGenerator<readonly [PageCommand, Outcome]> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-snippets-"));
  try {
    const known = await prepare(folder, lines[0]?.page ?? "");
    for (const one of lines) yield [one, await runLine(one, folder, known)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runLine({ line, words }: PageCommand, cwd: string, trajectory: string): Promise<Outcome> {
  const why = whyNotRun(line);
  if (why !== undefined || words === undefined) return { kind: "not run", why: why ?? "another program" };
  const [name = ""] = words;
  const tells =
    (name === "eval" && words.includes("--run")) ||
    words.some((word) => ["--settings", "--schema", "--help", "--tables"].includes(word));
  const small = tells ? [] : (SMALL[name]?.split(" ") ?? []);
  const typed = [...words.map((word, at) => standIn(word, words[at - 1] ?? "", name, trajectory)), ...small];
  const terminal = name === "play" ? { in: true, out: true } : {};
  const { code, out, err } = await limbeck(typed, { cwd, input: "select 1\n", answers: ["quit"], terminal });
  // 4: the work was done, and a gate says that its result is not good enough, which at this size it need not be.
  return code === 0 || code === 4
    ? { kind: "ran" }
    : { kind: "failed", why: `exit code ${code}: ${`${err.trim()}\n${out.trim().slice(-300)}`.slice(0, 600)}` };
}

function standIn(word: string, before: string, command: string, trajectory: string): string {
  if (command === "show" || command === "feedback") {
    if (["kitchen-3", "trip-1", "ticket-17"].includes(word)) return trajectory;
  }
  if (NEW.has(before) && command !== "eval" && command !== "export" && command !== "skills") return word;
  const [, key = "", value = word] = /^([\w.]+=)(.*)$/.exec(word) ?? [];
  return `${key}${STAND_INS[value] ?? value}`;
}

/** A run with episodes, files that pages name; the answer is the id of an episode. */
async function prepare(folder: string, page: string): Promise<string> {
  const root = new URL("../../", import.meta.url);
  for (const name of ["examples", "node_modules"]) await symlink(new URL(name, root), join(folder, name), "junction");
  // A folder of its own: some commands write models there.
  await mkdir(join(folder, "models"));
  for (const name of ["packages/household-model", "packages/world-models/tools"]) {
    await cp(new URL(name, root), join(folder, name), { recursive: true });
  }
  const copy = async (from: string, to: string): Promise<void> =>
    await writeFile(join(folder, to), await readFile(new URL(from, root)));
  for (const to of ["world.ts", "kitchen.ts"]) await copy("research/new-worlds/kitchen.ts", to);
  for (const to of ["chats.jsonl", "dump.jsonl", "session.jsonl"]) await copy("examples/bookshop-agent.jsonl", to);
  const packed = gzipSync(await readFile(join(folder, "chats.jsonl")));
  await writeFile(join(folder, "chats.jsonl.gz"), packed);
  const reward = `import { defineReward, option, scored } from "limbeck";
export default defineReward({ id: "brevity", info: { meaning: "Short." }, options: { scale: option.number(1, "factor") },
  score: (batch) => ({ awards: batch.map(({ success, steps }) => [{ score: scored(success ? 1 / Math.max(1, steps.length) : 0) }]) }) });\n`;
  for (const to of ["reward.ts", "brevity.ts"]) await writeFile(join(folder, to), reward);
  // A plan that uses a file needs that file named beside it; docs/learn/write-a-reward.md has such a plan.
  const own = page === "docs/learn/write-a-reward.md" ? "  - { use: ./brevity.ts, weight: 0.2, when: outcome }\n" : "";
  await writeFile(join(folder, "rewards.yaml"), `rewards:\n  - { use: outcome, weight: 1 }\n${own}`);
  await writeFile(join(folder, "prices.json"), '{"gpt-5": {"input": 1, "output": 10}}');
  await writeFile(join(folder, "batch.json"), JSON.stringify(getCredit("gigpo").example.batch));
  await writeFile(join(folder, "rows.jsonl"), '{"text": "look around"}\n');
  await mkdir(join(folder, "skills"));
  const words =
    "rollout --env household --env-set dial=tiny --policy expert --count 2 --group 2 --run earlier --json".split(" ");
  await limbeck(words, { cwd: folder });
  await limbeck(["export", "--run", "earlier", "--format", "atif", "--out", "runs.jsonl"], { cwd: folder });
  const { objects } = await limbeck(["sql", "select id from trajectories", "--format", "json", "--json"], {
    cwd: folder,
  });
  return JSON.stringify(objects()).match(/"id":"([^"]+)"/)?.[1] ?? "";
}
