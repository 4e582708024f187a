/**
 * Official clients against our trainer: each trains an adapter, samples from it, saves and lists checkpoints.
 *
 *   npm run try-tinker-sdk -- --python PYTHON FOLDER...
 *
 * A folder holds the package `tinker` of one version, as `pip install --target FOLDER tinker==0.25.0` makes it, or as
 * `src` of its source. Its dependencies are those of PYTHON. Ends with 1 where a client fails.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { bundledModel } from "../packages/policy/src/policy/local/bundled-model.ts";
import { startTrainer } from "../packages/remote/src/tinker-server/server.ts";

const { values, positionals } = parseArgs({ options: { python: { type: "string" } }, allowPositionals: true });
const python = values.python ?? "python3";
const program = fileURLToPath(new URL("try-tinker-sdk.py", import.meta.url));
const LONGEST_MS = 300_000;

const folder = await mkdtemp(join(tmpdir(), "limbeck-sdk-"));
const problems: string[] = [];
const trainer = await startTrainer({
  model: bundledModel("countdown"),
  checkpoints: folder,
  onProblem: (message) => problems.push(message),
});
let failed = 0;
for (const [at, given] of positionals.entries()) {
  const place = resolve(given);
  const name = basename(place) === "src" ? basename(dirname(place)) : basename(place);
  const env = {
    ...process.env,
    PYTHONPATH: place,
    TINKER_BASE_URL: trainer.url,
    TINKER_API_KEY: "tml-local",
    TINKER_TELEMETRY: "0",
  };
  const run = promisify(execFile)(python, [program, trainer.baseModel, String(at)], { env, timeout: LONGEST_MS });
  const [mark, text] = await run.then(
    ({ stdout }) => ["✓", stdout.trim()],
    (error: unknown) => ["✗", String((error as { readonly stderr?: string }).stderr ?? error).trim()],
  );
  if (mark === "✗") failed += 1;
  process.stdout.write(`${mark} ${name}: ${text}\n`);
}
for (const problem of problems) process.stdout.write(`! ${problem}\n`);
await trainer.close();
await rm(folder, { recursive: true });
process.exitCode = failed > 0 || positionals.length === 0 ? 1 : 0;
