/**
 * Agents of other people's SDKs, unchanged, with a policy as their model:
 *
 *     npm run try-agents                      # installs all five into a temporary folder and runs them
 *     npm run try-agents -- mastra --node /path/to/node22
 *     npm run try-agents -- --into DIR        # installs there, or uses what lies there from the last time
 *
 * Each asks in four ways (responses whole and streamed, an answer as JSON, chat completions), answered by a script: the tool must have
 * been called and the answer must have arrived. Then one update of GRPO on the tokens of its own calls, with the bundled model and
 * a reward that means nothing (an even number of characters): it shows that tokens, rewards and gradients go together, not that
 * the agent learns. The SDKs are no dependencies of this project.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { createAgentWorld } from "../packages/worlds/src/agent/agent-world.ts";
import { createScriptedPolicy } from "../packages/policy/src/policy/tabular/scripted-policy.ts";
import { runAgent } from "../packages/limbeck/src/run/run-agent.ts";
import { train } from "../packages/training/src/training/train.ts";
import type { Task } from "../packages/base/src/trajectory/trajectory.ts";
import { npm } from "./package/npm.ts";

interface Sdk {
  readonly file: string;
  readonly packages: readonly string[];
  /** The least Node that it says it runs on. */
  readonly node: number;
}

const SDKS: Readonly<Record<string, Sdk>> = {
  "ai-sdk-5": { file: "ai-sdk.mjs", packages: ["ai@5", "@ai-sdk/openai@2", "zod@4"], node: 18 },
  "ai-sdk-6": { file: "ai-sdk.mjs", packages: ["ai@6", "@ai-sdk/openai@3", "zod@4"], node: 18 },
  "ai-sdk-7": { file: "ai-sdk.mjs", packages: ["ai@7", "@ai-sdk/openai@4", "zod@4"], node: 22 },
  mastra: { file: "mastra.mjs", packages: ["@mastra/core@1", "zod@4"], node: 22 },
  "openai-agents": { file: "openai-agents.mjs", packages: ["@openai/agents@0", "zod@4"], node: 18 },
};
const WAYS = ["whole", "stream", "object", "chat"] as const;
const GOAL = "How many lamps are there?";

const { values, positionals } = parseArgs({
  options: { into: { type: "string" }, node: { type: "string", default: process.execPath } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(SDKS, name));
if (unknown !== undefined) throw new Error(`No SDK "${unknown}"; there are ${Object.keys(SDKS).join(", ")}.`);
const program = values.node;
const version = Number(/^v(\d+)/.exec(spawnSync(program, ["--version"]).stdout.toString())?.[1]);
const root = values.into === undefined ? mkdtempSync(join(tmpdir(), "try-agents-")) : resolve(values.into);
let failed = 0;
try {
  for (const [name, sdk] of Object.entries(SDKS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    if (version < sdk.node) {
      say(`${name}: not tried, it needs Node ${sdk.node} and this is ${version}; --node PATH names another`);
      continue;
    }
    await tryOne(name, sdk);
  }
} finally {
  if (values.into === undefined) rmSync(root, { recursive: true, force: true });
}
process.exitCode = failed === 0 ? 0 : 1;

async function tryOne(name: string, { file, packages }: Sdk): Promise<void> {
  const folder = join(root, name);
  if (!existsSync(join(folder, "node_modules"))) install(folder, packages);
  const agent = join(folder, file);
  copyFileSync(fileURLToPath(new URL(`../examples/agents/${file}`, import.meta.url)), agent);
  const versions = packages.map((one) => one.replace(/@[^@]+$/, "")).map((one) => `${one} ${versionOf(folder, one)}`);
  say(`${name}: ${versions.join(", ")}, Node ${version}`);
  for (const way of WAYS) await report(`  ${way}`, async () => await asks(agent, way));
  await report("  one update", async () => await update(agent, join(folder, "run")));
}

function install(folder: string, packages: readonly string[]): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--engine-strict=false"];
  npm(folder, ["install", ...quiet, ...packages], "pipe");
}

function versionOf(folder: string, name: string): string {
  const manifest = readFileSync(join(folder, "node_modules", name, "package.json"), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** The tool is called, its result comes back, and the answer is what the program prints. */
async function asks(agent: string, way: string): Promise<string> {
  const isObject = way === "object";
  const script = ({ index }: { readonly index: number }): string =>
    index === 0
      ? '{"name":"stock","arguments":{"item":"lamp"}}'
      : isObject
        ? '{"item":"lamp","count":4}'
        : "There are 4.";
  const { trajectories } = await runAgent({
    command: program,
    args: [agent, "{goal}", way],
    tasks: [{ goal: GOAL, answer: isObject ? "4 of lamp" : "There are 4." }],
    policy: createScriptedPolicy({ script }),
    episode: { tokens: 4_096 },
    answerTokens: 256,
    timeoutMs: 120_000,
  });
  const [run] = trajectories;
  const heard = run?.steps[1]?.observation ?? "";
  if (run?.success === true && run.steps.length === 2 && heard === "Tool stock: 4 of lamp")
    return "2 steps, answer heard";
  throw new Error(run?.failure?.message ?? `success ${run?.success}, ${run?.steps.length} steps, heard "${heard}"`);
}

async function update(agent: string, dir: string): Promise<string> {
  rmSync(dir, { recursive: true, force: true });
  const task: Task = { id: "agent/1", env: "agent", seed: 1, goal: GOAL, split: "train" };
  const judge = ({ output }: { readonly output: string }): boolean => output.length % 2 === 0;
  let told = "";
  await train({
    recipe: "grpo",
    env: createAgentWorld({
      command: program,
      args: [agent, "{goal}"],
      tasks: { train: [task], valid: [{ ...task, id: "agent/2", split: "valid" }] },
      judge,
      timeoutMs: 120_000,
    }),
    dir,
    steps: 1,
    settings: { tasks: 1, group: 6, maxSteps: 4, answerTokens: 12 },
    report: { tasks: 1, split: "valid" },
    validation: { every: 0 },
    onEvent: (event) => {
      if (event.kind !== "update") return;
      const { trainedTokens = 0, gradientNorm = 0 } = event.metrics;
      told = `${event.episodes} episodes, ${trainedTokens} trained tokens, gradient ${gradientNorm.toFixed(3)}`;
      if (!(trainedTokens > 0)) throw new Error(`no token was trained on: ${told}`);
    },
  });
  return told;
}

async function report(what: string, work: () => Promise<string>): Promise<void> {
  try {
    say(`${what}: ${await work()}`);
  } catch (error) {
    failed += 1;
    say(`${what}: FAILED, ${error instanceof Error ? error.message : String(error)}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
