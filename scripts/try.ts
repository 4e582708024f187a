/**
 * `npm run try -- credit NAME`: a credit method in some seconds. Its worked example, its contract, and one small update
 * on the bundled model, in a folder that is removed again. Ends with 1 where something is wrong.
 */
import { spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { creditContract } from "../packages/core/src/credit/credit.contract.ts";
import { getCredit } from "../packages/core/src/credit/registry.ts";

/** As little as an update can be. */
const SMALL = ["tasks=1", "group=2", "maxSteps=4", "screens=off"].flatMap((setting) => ["--set", setting]);
const NO_MEASURING = ["--validate-every", "0", "--report-tasks", "1", "--threads", "1"];

const [room, name = ""] = process.argv.slice(2);
if (room !== "credit") {
  process.stderr.write("usage: npm run try -- credit NAME\n");
  process.exitCode = 2;
} else {
  process.stdout.write(limbeck("explain", `credit/${name}`));
  await keepsContract(name);
  const folder = await mkdtemp(join(tmpdir(), "limbeck-try-"));
  try {
    const where = ["--env", "household", "--env-set", "dial=tiny", "--dir", join(folder, "run")];
    const words = ["train", "--recipe", "grpo", "--credit", name, "--steps", "1", ...where, ...SMALL, ...NO_MEASURING];
    // Its last lines for a person name the folder, which will be gone.
    process.stdout.write(updateLine(limbeck(...words, "--json", "--quiet")));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** What it printed. */
function limbeck(...words: readonly string[]): string {
  process.stdout.write(`\n$ limbeck ${words.slice(0, 7).join(" ")}${words.length > 7 ? " …" : ""}\n`);
  const program = fileURLToPath(new URL("limbeck.mjs", import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [program, ...words], {
    encoding: "utf8",
    stdio: ["inherit", "pipe", "inherit"],
  });
  if (status !== 0) process.exitCode = 1;
  return stdout;
}

function updateLine(lines: string): string {
  const events = lines.split("\n").filter((line) => line !== "");
  const update = events.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  const { reward, entropy, seconds } = update.find(({ event }) => event === "update") ?? {};
  const figure = (value: unknown): string => (typeof value === "number" ? value.toFixed(3) : "unknown");
  if (reward === undefined) return "The update was not made.\n";
  return `One update: mean reward ${figure(reward)}, entropy ${figure(entropy)}, ${figure(seconds)} s. Nothing was kept.\n`;
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
