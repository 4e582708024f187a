/** Each command of the catalogue's claims, run at its smallest, prints what it claims. Those that are slow run in `npm run matrix`. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hasWholeHistory, planFault } from "../scripts/claims/planned-first.ts";
import { printedBy } from "../scripts/claims/run-claim.ts";
import {
  holds,
  isRun,
  loadClaims,
  type Metric,
  readMetric,
  valuesOf,
} from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { claimTests } from "./support/claim-tests.ts";

const run = [...loadClaims()].map(([system, claim]) => ({ system, ...claim })).filter(isRun);

describe("each command runs at its smallest and prints what it claims", () => {
  claimTests(run.filter(({ slow }) => !slow));
});

test("a plain training meets none of the conditions", async () => {
  const printed = (await printedBy({ command: "limbeck train --recipe grpo" })) as object[];
  expect(valuesOf("credit/groups", printed)).toHaveLength(1);
  const trained = run.filter(({ command }) => command.startsWith("limbeck train "));
  const met = trained.filter(({ metric }) => holds(readMetric(metric) as Metric, printed));
  expect(met.map(({ system, metric }) => `${system}: ${metric}`)).toEqual([]);
});

const root = join(import.meta.dirname, "..");
test.skipIf(!hasWholeHistory(root))(
  "what works by a measurement was planned in an older commit (needs the whole history)",
  { timeout: 600_000 },
  () => {
    const proofs = run.filter(({ state }) => state === "works").flatMap(({ proof }) => proof);
    const measured = proofs.filter((one) => typeof one !== "string");
    expect(measured.flatMap((one) => planFault(root, one) ?? [])).toEqual([]);
  },
);
