/** `limbeck check`: the contract suite of whatever a file holds, one line for each promise. */
import { createRng, EngineError, errorData, type Runner } from "../../base/index.ts";
import type { LoadedPart } from "../../base/parts/load-part.ts";
import { creditContract } from "../../credit/credit.contract.ts";
import type { CreditMethod } from "../../credit/index.ts";
import { envContract } from "../../env/env.contract.ts";
import type { World } from "../../env/index.ts";
import { getRecipe } from "../../recipe/index.ts";
import { rewardContract } from "../../reward/reward.contract.ts";
import type { RewardMethod } from "../../reward/index.ts";
import { createStrategy } from "../../rollout/index.ts";
import { strategyContract } from "../../rollout/strategy.contract.ts";
import { createSearch } from "../../search/index.ts";
import { searchContract } from "../../search/search.contract.ts";
import type { AgentDefinition } from "../../walk/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { givenValues } from "../play/world-options.ts";
import { givenPart, ownEntry } from "./own-entry.ts";

interface Check {
  readonly title: string;
  readonly run: () => unknown;
}

export async function checkPart(invocation: Invocation): Promise<number> {
  const given = await givenPart(invocation);
  const { title } = ownEntry(given);
  const checks = checksOf(given, invocation);
  invocation.print(
    `${invocation.style.bold(cleanLine(title))}  ${invocation.style.dim(`${given.kind}, ${given.name}`)}`,
  );
  let failed = 0;
  for (const { title: promise, run } of checks) {
    const error = await faultOf(run);
    if (error !== undefined) failed += 1;
    if (invocation.json) invocation.printJson({ check: promise, ok: error === undefined, error: error ?? null });
    else invocation.print(`${error === undefined ? "✓" : "✗"} ${promise}`);
    if (error !== undefined) invocation.print(`    ${error.code}: ${cleanLine(error.message)}`);
  }
  if (invocation.json) invocation.printJson({ kind: given.kind, name: given.name, checks: checks.length, failed });
  else
    invocation.print(
      failed === 0 ? `All ${checks.length} hold.` : `${plural(failed, "promise")} of ${checks.length} broken.`,
    );
  return failed === 0 ? EXIT.done : EXIT.failed;
}

/** What went wrong, as data; its cause first where a suite only says that something did. */
async function faultOf(run: () => unknown): Promise<{ readonly code: string; readonly message: string } | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    const { code, message } = errorData(error);
    // What the suite itself lacks breaks no promise of the file.
    if (code === "package-missing") throw error;
    const known = code === "internal" && error instanceof Error && error.cause instanceof EngineError;
    return known ? errorData(error.cause) : { code, message };
  }
}

function checksOf(given: LoadedPart, invocation: Invocation): readonly Check[] {
  const checks: Check[] = [];
  // The suites are made for test runners; this one collects.
  const runner: Runner = {
    describe: (_, body) => body(),
    test: (title, body) => void checks.push({ title, run: body }),
  };
  const runs = givenCount(invocation, "runs", 10);
  const { part, name, kind } = given;
  const options = givenValues(invocation, "set");
  if (kind === "environment") {
    const invalidChanges = invocation.flag("turns") ? "turn" : "nothing";
    const { demonstrators } = part as World;
    envContract({
      name,
      env: () => (part as World).create(options),
      demonstrators,
      runner,
      runs,
      invalidChanges,
      seed: 1,
    });
  } else if (kind === "reward")
    rewardContract({ name, reward: part as RewardMethod, options: [options], runner, runs });
  else if (kind === "credit method") creditContract({ name, credit: part as CreditMethod, runner, runs });
  else if (kind === "strategy")
    strategyContract({ name, create: () => createStrategy(name, options), tasks: 2, runner });
  else if (kind === "search") searchContract({ name, create: () => createSearch(name, options), budgets: 1, runner });
  else if (kind === "recipe") checks.push({ title: "look-ups find it", run: () => getRecipe(name) });
  else if (kind === "agent")
    checks.push({ title: "it is made, and can act", run: () => actOnce(part as AgentDefinition) });
  else
    checks.push({
      title: "it is made with its options",
      run: () => (part as { create: (given: object) => object }).create(options),
    });
  return checks;
}

/** A script chooses once; whoever speaks is only made, because speaking may cost money. */
async function actOnce(definition: AgentDefinition): Promise<void> {
  const made = await definition.create();
  if (!("start" in made)) return;
  const task = { id: "check", env: "check", seed: 1, goal: "Look around.", split: "train" };
  made.start(task, createRng(1)).next({ action: undefined, observation: "A room.", admissible: ["look"] });
}
