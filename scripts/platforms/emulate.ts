/** Runs the engine with the other architecture's Node and native parts on this machine, through qemu's user emulation. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, cp, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { npm } from "../package/npm.ts";
import { installFor } from "./install.ts";
import { REQUIRED_PLATFORMS } from "./platforms.ts";

/** For each architecture: qemu's program, where Debian keeps its libraries, and the name it has there. */
const EMULATION = {
  arm64: { program: "qemu-aarch64", libraries: "/usr/aarch64-linux-gnu", debian: "arm64" },
  x64: { program: "qemu-x86_64", libraries: "/usr/x86_64-linux-gnu", debian: "amd64" },
} as const;

/** Everything a run needs and nothing that belongs to this machine. */
const LEFT_BEHIND = new Set([".git", "research/bench/results", "coverage", "dist", "node_modules", "runs"]);

/** How much longer a test may take than on a real machine. */
const PATIENCE = "60";

/** The smallest training: four episodes of at most four steps, two tasks before and after. */
const TRAIN =
  "train --recipe grpo --env household --env-set dial=tiny --steps 1 --validate-every 0 --report-tasks 2 --set tasks=2 --set group=2 --set maxSteps=4";

const limbeck = (...words: readonly string[]) => ["packages/limbeck/dist/cli/bin.js", ...words];
const STEPS: readonly { readonly name: string; readonly words: readonly string[] }[] = [
  { name: "limbeck doctor", words: limbeck("doctor") },
  { name: "an import", words: limbeck("import", "examples/bookshop-agent.jsonl", "--run", "bookshop") },
  { name: "SQL over it", words: limbeck("sql", "select id, reward from trajectories order by id") },
  { name: "one training update", words: limbeck(...TRAIN.split(" ")) },
  {
    name: "the tests of graph, policy/local and store",
    words: [
      "node_modules/vitest/vitest.mjs",
      "run",
      "packages/policy/src/graph",
      "packages/policy/src/policy/local",
      "packages/store/src/store",
    ],
  },
];

/** The exit code: 0 when every step passed, and where this machine cannot emulate, which is said. */
export async function emulate(root: string, folder: string, say: (line: string) => void): Promise<number> {
  const cpu = process.arch === "arm64" ? "x64" : "arm64";
  const { program, libraries, debian } = EMULATION[cpu];
  const lacking = lack(program, libraries);
  if (lacking !== undefined) {
    const packages = `qemu-user libc6-${debian}-cross libstdc++6-${debian}-cross libgcc-s1-${debian}-cross`;
    say(`Skipped: ${lacking}. On Debian: apt-get install ${packages}`);
    return 0;
  }
  const platform = REQUIRED_PLATFORMS.find((one) => one.os === "linux" && one.cpu === cpu);
  if (platform === undefined) throw new Error(`no platform for linux ${cpu}`);
  const tree = join(folder, "tree");
  const nodeFolder = join(folder, "node");
  say(`installing for ${platform.name}`);
  await installFor(platform, root, tree);
  await mkdir(nodeFolder);
  const [major] = process.versions.node.split(".");
  // By force: npm would not install a program that this machine cannot start by itself.
  npm(nodeFolder, ["install", "--force", "--no-save", `node-linux-${cpu}@${major}`], "pipe");
  const guest = join(nodeFolder, "node_modules", `node-linux-${cpu}`, "bin", "node");
  // The compiler runs on this machine: it is not what is tried here.
  if ((await finish(process.execPath, ["scripts/limbeck.mjs", "--version"], root)) !== 0) return 1;
  await cp(root, tree, { recursive: true, filter: (path) => !LEFT_BEHIND.has(path.slice(root.length)) });
  const environment = await emulatedNode(folder, [program, "-L", libraries, guest]);
  for (const { name, words } of STEPS) {
    const started = performance.now();
    say(`\n== ${name}, on ${platform.name} under ${program}`);
    const code = await finish(environment.node, words, tree, environment.variables);
    say(
      `== ${code === 0 ? "passed" : `failed with exit code ${code}`} in ${Math.round((performance.now() - started) / 1000)} s`,
    );
    if (code !== 0) return 1;
  }
  return 0;
}

function lack(program: string, libraries: string): string | undefined {
  if (process.platform !== "linux")
    return `programs of another architecture can be emulated on Linux only, and this is ${process.platform}`;
  if (spawnSync(program, ["--version"]).status !== 0) return `${program} is not here`;
  return existsSync(join(libraries, "lib")) ? undefined : `${libraries} has no libraries of that architecture`;
}

/**
 * A program that starts the other architecture's Node. Children that it starts by `process.execPath` must go through the
 * emulator again, so a module loaded first in every process puts this program there.
 */
async function emulatedNode(
  folder: string,
  command: readonly string[],
): Promise<{ node: string; variables: NodeJS.ProcessEnv }> {
  const node = join(folder, "emulated-node");
  const hook = join(folder, "emulated-exec-path.mjs");
  await writeFile(node, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  await chmod(node, 0o755);
  await writeFile(hook, `process.execPath = ${JSON.stringify(node)};\n`);
  const variables = { ...process.env, NODE_OPTIONS: `--import ${hook}`, LIMBECK_TEST_PATIENCE: PATIENCE };
  return { node, variables };
}

async function finish(program: string, words: readonly string[], folder: string, env = process.env): Promise<number> {
  const child = spawn(program, words, { cwd: folder, env, stdio: "inherit" });
  const [code] = (await once(child, "exit")) as [number | null];
  return code ?? 1;
}
