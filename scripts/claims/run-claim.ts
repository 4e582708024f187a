/** Runs the command of a claim at its smallest, with its mechanism and without, and looks for what each must print. */
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
import { smallest, switchedOff } from "./words.ts";

const SHARED = ["examples", "packages", "research"] as const;

type Checked = Pick<RunClaim, "command" | "small" | "metric" | "off" | "fallen">;

/** Why the metric does not hold, or does not fall without the mechanism; undefined where it does. */
export async function metricFault(claim: Checked): Promise<string | undefined> {
  return (await heldFault(claim)) ?? (claim.off === undefined ? undefined : await fallenFault(claim, claim.off));
}

async function heldFault({ metric, ...claim }: Checked): Promise<string | undefined> {
  const printed = await printedBy(claim);
  if (typeof printed === "string") return printed;
  const wanted = readMetric(metric) as Metric;
  if (holds(wanted, printed)) return undefined;
  const seen = valuesOf(wanted.name, printed);
  const said = seen.length === 0 ? `no ${wanted.name}` : seen.join(", ");
  return `"${claim.command}" ran and printed ${said}; the claim wants ${metric}`;
}

/** Without the mechanism the metric does not hold, and is what the claim says, to the digits it gives. */
async function fallenFault({ metric, fallen = "absent", ...claim }: Checked, off: string): Promise<string | undefined> {
  const without = switchedOff(claim, off);
  const printed = await printedBy(without);
  if (typeof printed === "string") return printed;
  const wanted = readMetric(metric) as Metric;
  const seen = valuesOf(wanted.name, printed);
  const ran = `"${without.command}" ran without the mechanism and printed`;
  if (holds(wanted, printed)) return `${ran} ${seen.join(", ")}; ${metric} holds all the same`;
  if (fallen === "absent") return seen.length === 0 ? undefined : `${ran} ${seen.join(", ")}; the claim says absent`;
  const digits = String(fallen).split(".")[1]?.length;
  // A whole number is meant exactly.
  const about = digits === undefined ? 1e-9 : 0.5 * 10 ** -digits;
  const isFallen = seen.length > 0 && seen.every((value) => Math.abs(value - fallen) <= about);
  return isFallen ? undefined : `${ran} ${seen.join(", ") || `no ${wanted.name}`}; the claim says ${fallen}`;
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
