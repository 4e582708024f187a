/**
 * The catalogue's claims: every proof is there, and every command is one that runs the mechanism. That each prints what it claims is
 * held by `claims.nightly.test.ts`, and for what changed by `claims.system.test.ts`.
 */
import { describe, expect, test } from "vitest";
import { metricFault } from "../scripts/claims/run-claim.ts";
import { proofFault } from "../scripts/claims/proof.ts";
import { commandFault, commandsOf, smallest } from "../scripts/claims/words.ts";
import {
  holds,
  isRun,
  loadClaims,
  type Metric,
  readMetric,
  valuesOf,
} from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { commands } from "../packages/limbeck/src/cli/index.ts";

const root = new URL("../", import.meta.url);
const claims = [...loadClaims()].map(([system, claim]) => ({ system, ...claim }));
const run = claims.filter(isRun);

describe("what is claimed", () => {
  test.each(run)("$system has a proof that is there", ({ proof, state }) => {
    expect(proof.flatMap((one) => proofFault(one, root, state) ?? [])).toEqual([]);
  });

  test("every command is one that runs something", async () => {
    const given = claims.flatMap((claim) => ("command" in claim && claim.command !== undefined ? claim.command : []));
    const faults = await Promise.all(given.map((command) => commandFault(command, commands)));
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
  });
});

describe("planted claims are found out", () => {
  test.each([
    ["limbeck explain gigpo", '"limbeck explain gigpo" tells about the mechanism and does not run it'],
    ["limbeck methods", "tells about the mechanism"],
    ["limbeck train --recipe gigpo --settings", "tells about the mechanism"],
    ["limbeck sql 'select 1 as one'", "tells about the mechanism"],
    ["limbeck train --recipe gigpa", 'is refused: No value of --recipe "gigpa". Did you mean "gigpo"?'],
    ["limbeck train --tasks 2", 'is refused: No option "--tasks"'],
    ["train --recipe gigpo", "is no command of limbeck"],
  ])("the command %s", async (command, fault) => {
    expect(await commandFault(command, commands)).toContain(fault);
  });

  test("a metric that stays 0, and one that nothing prints", async () => {
    const command = "limbeck search --env countdown --policy expert --method best-of-n";
    expect(await metricFault({ command, metric: "nodes > 0" })).toBeUndefined();
    expect(await metricFault({ command, metric: "harm > 0" })).toBe(
      `"${command}" ran and printed 0, 0; the claim wants harm > 0`,
    );
    expect(await metricFault({ command, metric: "pruned > 0" })).toContain("ran and printed no pruned");
    expect(await metricFault({ command: `${command} --split nowhere`, metric: "nodes > 0" })).toContain("exit code");
  });

  test.each([
    [
      "packages/core/src/credit/gigpo.test.ts: it learns",
      'packages/core/src/credit/gigpo.test.ts has no test "it learns" that runs',
    ],
    ["src/credit/gigpa.test.ts: with the deviation", "names a file that is not there"],
    ["docs/evidence/results/trees.md: Fame", 'docs/evidence/results/trees.md has no section "Fame"'],
    [
      "docs/lookup/generated/methods.md: GiGPO",
      'is neither "FILE.test.ts: TITLE" nor "docs/evidence/results/NAME.md: HEADING"',
    ],
    ["somebody said so", "is neither"],
  ])("the proof %s", (proof, fault) => {
    expect(proofFault(proof, root)).toContain(fault);
  });
});

describe("how a claim is read", () => {
  test("a command is split as in a shell, and made small before its own words", () => {
    expect(commandsOf(`limbeck search --run a && limbeck sql "select 1 as 'one'"`)).toEqual([
      ["search", "--run", "a"],
      ["sql", "select 1 as 'one'"],
    ]);
    const [words] = smallest({ command: "limbeck search --tasks 3", small: "--seed 2" });
    expect(words).toEqual(["search", "--tasks", "1", "--threads", "1", "--tasks", "3", "--seed", "2"]);
  });

  test("a metric is found among the measures of an update and among fields, at any depth", () => {
    const printed = [{ metrics: { "credit/step.meanAbs": 0 } }, { spent: { envSteps: 3 }, nodes: null }];
    expect(valuesOf("credit/step.meanAbs", printed)).toEqual([0]);
    expect(valuesOf("spent.envSteps", printed)).toEqual([3]);
    expect(valuesOf("nodes", printed)).toEqual([]);
    const held = ["spent.envSteps > 2", "spent.envSteps >= 3", "spent.envSteps < 3", "credit/step.meanAbs > 0"];
    expect(held.map((text) => holds(readMetric(text) as Metric, printed))).toEqual([true, true, false, false]);
    expect(["nodes", "nodes > many", "> 0"].map(readMetric)).toEqual([undefined, undefined, undefined]);
  });
});
