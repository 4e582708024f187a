/** A test for each claim: its command, run at its smallest, prints what it claims. */
import { beforeAll, expect, test } from "vitest";
import { metricFault } from "../../scripts/claims/run-claim.ts";
import type { RunClaim } from "../../packages/limbeck/src/cli/catalog/catalog.ts";

/** Longer than any one takes: the last waits for all the others. */
const patience = { timeout: 600_000 };

export function claimTests(claims: readonly (RunClaim & { readonly system: string })[]): void {
  const faults = new Map<string, Promise<string | undefined>>();
  beforeAll(() => {
    // Two at a time: each runs its model on one thread.
    const lanes: Promise<unknown>[] = [Promise.resolve(), Promise.resolve()];
    for (const [at, claim] of claims.entries()) {
      const fault = (lanes[at % 2] as Promise<unknown>).then(() => metricFault(claim).catch(String));
      lanes[at % 2] = fault;
      faults.set(claim.system, fault);
    }
  });
  test.each(claims)("$system", patience, async ({ system }) => {
    expect(await faults.get(system)).toBeUndefined();
  });
}
