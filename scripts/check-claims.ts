/**
 * Runs the commands of the catalogue's claims at their smallest and checks what they print.
 *
 *     npx tsx scripts/check-claims.ts            those that are too slow for every `npm test`; part of `npm run matrix`
 *     npx tsx scripts/check-claims.ts GiGPO      these
 *     npx tsx scripts/check-claims.ts --all
 */
import { parseArgs } from "node:util";
import { isRun, loadClaims } from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { metricFault } from "./claims/run-claim.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: "boolean", default: false } },
});

const claims = loadClaims();
const unknown = positionals.filter((system) => !claims.has(system));
if (unknown.length > 0) throw new Error(`No system ${unknown.join(", ")}; limbeck catalog lists them.`);

for (const [system, claim] of claims) {
  if (!isRun(claim)) continue;
  const wanted = positionals.length === 0 ? values.all || claim.slow : positionals.includes(system);
  if (!wanted) continue;
  const start = performance.now();
  const fault = await metricFault(claim);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  process.stdout.write(`claim ${system}  ${fault ?? `${claim.metric}, ${seconds} s`}\n`);
  if (fault !== undefined) process.exitCode = 1;
}
