/** Runs the command of a claim at its smallest and looks for what it must print. */
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  holds,
  type Metric,
  readMetric,
  type RunClaim,
  valuesOf,
} from "../../packages/limbeck/src/cli/catalog/catalog.ts";
import { limbeck } from "../../test/support/fake-io.ts";
import { smallest } from "./words.ts";

const SHARED = ["examples", "packages", "research"] as const;

type Checked = Pick<RunClaim, "command" | "small" | "metric">;

/** Why the metric does not hold; undefined where it does. */
export async function metricFault({ metric, ...claim }: Checked): Promise<string | undefined> {
  const printed = await printedBy(claim);
  if (typeof printed === "string") return printed;
  const wanted = readMetric(metric) as Metric;
  if (holds(wanted, printed)) return undefined;
  const seen = valuesOf(wanted.name, printed);
  const said = seen.length === 0 ? `no ${wanted.name}` : seen.join(", ");
  return `"${claim.command}" ran and printed ${said}; the claim wants ${metric}`;
}

/** The JSON objects that the command prints, in a folder of its own; a text says why there are none. */
export async function printedBy(claim: Pick<Checked, "command" | "small">): Promise<object[] | string> {
  const folder = await mkdtemp(join(tmpdir(), "limbeck-claim-"));
  try {
    for (const name of SHARED) {
      await symlink(fileURLToPath(new URL(`../../${name}`, import.meta.url)), join(folder, name), "junction");
    }
    const printed: object[] = [];
    for (const words of smallest(claim)) {
      const { code, err, objects } = await limbeck([...words, "--json"], { cwd: folder });
      if (code !== 0) return `"limbeck ${words.join(" ")}" ended with exit code ${code}: ${err.trim()}`;
      printed.push(...objects());
    }
    return printed;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
