/**
 * Looks at what is installed, by the lock: pinned, allowed licences, nothing that runs at install; and at advisories in a file.
 *
 *     npm run dependencies -- --advisories osv.json
 *
 * The file holds advisories in OSV's form, as a list or one a line; nothing is fetched.
 */
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { advisoryMatches, dependencyFaults, type Packages, readAdvisories } from "./package/dependencies.ts";

const LARGEST_BYTES = 300_000_000;

const { values } = parseArgs({ options: { advisories: { type: "string" } } });
const root = new URL("../", import.meta.url);
const { packages } = JSON.parse(readFileSync(new URL("package-lock.json", root), "utf8")) as { packages: Packages };
const faults = dependencyFaults(packages);
if (!/^ignore-scripts ?= ?true$/m.test(readFileSync(new URL(".npmrc", root), "utf8")))
  faults.push(`${fileURLToPath(new URL(".npmrc", root))} does not say ignore-scripts=true.`);
const known = values.advisories === undefined ? 0 : addMatches(values.advisories);
process.stdout.write(`${Object.keys(packages).length} packages, ${known} advisories, ${faults.length} faults\n`);
if (faults.length > 0) {
  process.stderr.write(`${faults.join("\n")}\n`);
  process.exitCode = 1;
}

function addMatches(file: string): number {
  try {
    const about = statSync(file);
    if (!about.isFile() || about.size > LARGEST_BYTES)
      throw new Error(`it is no plain file of at most ${LARGEST_BYTES} bytes`);
    const advisories = readAdvisories(readFileSync(file, "utf8"));
    faults.push(...advisoryMatches(packages, advisories));
    return advisories.length;
  } catch (error) {
    faults.push(`The advisories of ${file} cannot be read: ${(error as Error).message}`);
    return 0;
  }
}
