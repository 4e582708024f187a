/**
 * The catalogue's claims: every proof is there, and every command is one that runs the mechanism. That each prints what it claims is
 * held by `claims.nightly.test.ts`, and for what changed by `claims.system.test.ts`.
 */
import { writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { metricFault } from "../scripts/claims/run-claim.ts";
import { proofFault } from "../scripts/claims/proof.ts";
import { commandFault, commandsOf, smallest } from "../scripts/claims/words.ts";
import {
  holds,
  isRun,
  loadClaims,
  type Metric,
  parseClaims,
  readMetric,
  valuesOf,
} from "../packages/limbeck/src/cli/catalog/catalog.ts";
import { commands } from "../packages/limbeck/src/cli/index.ts";
import { temporaryFolders } from "./support/temporary-folder.ts";

const root = new URL("../", import.meta.url);
const newFolder = temporaryFolders();
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
    expect(proofFault(proof, root, "measured")).toContain(fault);
  });

  test("a heading is no proof for what works", () => {
    const heading = "docs/evidence/results/trees.md: Trees";
    expect(proofFault(heading, root, "works")).toContain('neither "FILE.test.ts: TITLE" nor the line of a study');
  });

  test("a test that is left out, and one in a comment", async () => {
    const folder = pathToFileURL(`${await newFolder()}/`);
    const plant = (text: string): Promise<void> => writeFile(new URL("a.test.ts", folder), text);
    await plant('test("it learns", () => {});\n');
    expect(proofFault("a.test.ts: it learns", folder)).toBeUndefined();
    for (const text of [
      'test.skip("it learns", () => {});',
      'test.todo("it learns");',
      '// test("it learns", () => {});',
      '/*\n test("it learns", () => {});\n*/',
      'describe.skip("all", () => {\n  test("it learns", () => {});\n});',
    ]) {
      await plant(`${text}\n`);
      expect(proofFault("a.test.ts: it learns", folder)).toContain("that runs");
    }
  });

  const study = {
    study: "docs/evidence/results/cosearch.md",
    section: "CoSearch's credit for a ranker",
    line: "| quality, with the gate less without it |",
    figure: "0.029 [0.024, 0.034]",
    seeds: 5,
    plan: "docs/evidence/log.md: plan for measuring changed methods again",
  };
  test.each([
    [{}, undefined],
    [{ figure: "0.039 [0.024, 0.034]" }, "does not hold the figure"],
    [{ figure: "0.029" }, "has no interval"],
    [{ line: "| quality" }, "has 2 lines that begin"],
    [{ section: "Fame" }, 'has no section "Fame"'],
    [{ study: "docs/evidence/results/fame.md" }, "is no page below docs/evidence"],
    [{ seeds: 7 }, "names no 7 seeds"],
    [{ plan: "docs/evidence/log.md: a plan that nobody wrote" }, "is not there"],
  ])("a measurement of which %j is planted", (wrong, fault) => {
    const found = proofFault({ ...study, ...wrong }, root);
    expect(found ?? "").toContain(fault ?? "");
    expect(found === undefined).toBe(fault === undefined);
  });

  test("an interval that holds 0 shows nothing that works; four seeds are refused when the claims are read", () => {
    const rapo = {
      ...study,
      study: "docs/evidence/results/maestro.md",
      section: "Measured again, as published",
      line: "| published | difference |",
      figure: "−0.151 [−0.171, −0.098]",
    };
    expect(proofFault(rapo, root)).toBeUndefined();
    const near = {
      ...rapo,
      study: "docs/evidence/results/echo.md",
      line: "- Against branching",
      figure: "0.076 [−0.025, 0.177]",
    };
    expect(proofFault(near, root)).toContain("holds 0");
    expect(proofFault(near, root, "measured")).toBeUndefined();
    const four = JSON.stringify({ ...study, seeds: 4 });
    const claim = `A: { state: works, lives: src, command: limbeck train, metric: a > 0, off: --b, fallen: 0, proof: [${four}] }`;
    expect(() => parseClaims(claim)).toThrow(/proof/);
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
