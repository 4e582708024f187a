/**
 * `npm run try -- credit NAME`: a credit method in some seconds. Its worked example, its contract, and one small update
 * on the bundled model, in a folder that is removed again. Ends with 1 where something is wrong.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { creditContract } from "../src/credit/credit.contract.ts";
import { getCredit } from "../src/credit/index.ts";

/** As little as an update can be. */
const SMALL = ["tasks=1", "group=2", "maxSteps=4", "screens=off"].flatMap((setting) => ["--set", setting]);
const NO_MEASURING = ["--validate-every", "0", "--report-tasks", "1", "--threads", "1"];

const [room, name = ""] = process.argv.slice(2);
if (room !== "credit") {
  process.stderr.write("usage: npm run try -- credit NAME\n");
  process.exitCode = 2;
} else {
  limbeck("explain", `credit/${name}`);
  await keepsContract(name);
  const folder = await mkdtemp(join(tmpdir(), "limbeck-try-"));
  try {
    const where = ["--env", "household", "--env-set", "dial=tiny", "--dir", join(folder, "run")];
    limbeck("train", "--recipe", "grpo", "--credit", name, "--steps", "1", ...where, ...SMALL, ...NO_MEASURING);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function limbeck(...words: readonly string[]): void {
  process.stdout.write(`\n$ limbeck ${words.slice(0, 7).join(" ")}${words.length > 7 ? " …" : ""}\n`);
  const program = fileURLToPath(new URL("../src/cli/bin.ts", import.meta.url));
  const { status } = spawnSync(process.execPath, [...process.execArgv, program, ...words], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}

/** The suite without a test runner: every promise in turn, and what it says. */
async function keepsContract(id: string): Promise<void> {
  const promises: (readonly [string, () => Promise<void>])[] = [];
  creditContract({
    name: id,
    credit: getCredit(id),
    runner: { describe: (_, body) => body(), test: (title, body) => promises.push([title, body]) },
  });
  process.stdout.write("\nThe credit contract:\n");
  for (const [title, check] of promises) {
    const fault = await check().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    process.stdout.write(fault === undefined ? `  kept    ${title}\n` : `  BROKEN  ${title}\n          ${fault}\n`);
    if (fault !== undefined) process.exitCode = 1;
  }
}
