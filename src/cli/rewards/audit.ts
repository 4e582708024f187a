/** `limbeck rewards audit`: one line for each hack of the lab, then what to think of the plan. */
import { auditRewards, type AuditOptions, type HackPay } from "../../eval/index.ts";
import { hacks } from "../../eval/hack-lab/hacks.ts";
import { EngineError, unknownName } from "../../base/index.ts";
import { readRewardPlan } from "../../reward/plan-file.ts";
import { openChatAsker, type OpenedAsker } from "../../walk/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { plural } from "../look/units.ts";
import { givenCount } from "../model/open-given.ts";
import { givenRewards } from "../train/given-rewards.ts";

const JUDGE_TOKENS = 1_024;

export async function runAudit(invocation: Invocation): Promise<number> {
  const { io, json, print, printJson, style } = invocation;
  const plan = (await givenRewards(invocation)) ?? readRewardPlan("outcome");
  const ids = hacks.map(({ id }) => id);
  const only = invocation.text("only")?.split(",");
  const unknown = only?.find((id) => !ids.includes(id));
  if (unknown !== undefined) throw unknownName(unknown, ids, "hack");
  const asker = invocation.flag("chat") ? await openChatAsker(io.env) : undefined;
  const shared: AuditOptions = {
    tasks: givenCount(invocation, "tasks", 8, 2),
    seed: givenCount(invocation, "seed", 0, 0),
    signal: io.signal,
    ...(asker === undefined ? {} : { givens: { judge: judgeOf(asker, io.signal) } }),
  };
  const found: HackPay[] = [];
  const bar = invocation.progress({ label: "Auditing", total: only?.length ?? ids.length });
  try {
    for (const id of only ?? ids) {
      const pays = await auditRewards(plan, { ...shared, only: [id] });
      found.push(...pays);
      bar.update(found.length);
      if (json) for (const one of pays) printJson(one);
    }
  } finally {
    bar.end();
    await asker?.close();
  }
  const paying = found.filter(({ pays }) => pays);
  const unnoticed = paying.filter(({ noticed }) => noticed.length === 0);
  const unscored = found.filter(({ gain }) => gain === null).length;
  if (unscored === found.length) {
    throw new EngineError(
      "nothing-measured",
      `None of ${plural(found.length, "hack")} could be scored by this plan in its world, so that nothing was measured, and no gate passes. Give --tasks more, or rewards that score these worlds.`,
    );
  }
  const ok = paying.length === 0 || !invocation.flag("strict");
  if (json) {
    printJson({ paying: paying.length, unnoticed: unnoticed.length, tried: found.length, unscored, ok });
    return ok ? EXIT.done : EXIT.gate;
  }
  for (const one of found) {
    const mark = one.pays ? style.red("✗ pays") : style.green("✓");
    print(`${one.pays ? mark : `${mark}     `} ${one.id.padEnd(18)} ${figures(one)}  ${style.dim(one.meaning)}`);
    if (one.pays)
      print(
        `         ${style.dim(one.noticed.length === 0 ? "no screen notices it" : `noticed by ${one.noticed.join(", ")}`)}`,
      );
  }
  print();
  print(
    paying.length === 0
      ? `None of ${plural(found.length, "hack")} pays by this plan.`
      : `${paying.length} of ${plural(found.length, "hack")} would pay by this plan, ${unnoticed.length} of them noticed by no screen.`,
  );
  if (unscored > 0) print(`${plural(unscored, "hack")} could not be scored in its world, which says nothing.`);
  if (paying.length > 0)
    print("A gate (when: outcome) or a smaller weight takes the pay away; docs/rewards.md tells how.");
  return ok ? EXIT.done : EXIT.gate;
}

function judgeOf({ asker }: OpenedAsker, signal: AbortSignal): (prompt: string) => Promise<string> {
  let asked = 0;
  return async (prompt) => {
    asked += 1;
    return (await asker(prompt, { maxTokens: JUDGE_TOKENS, signal, seed: `audit ${asked}` })).text;
  };
}

function figures({ hack, twin, gain }: HackPay): string {
  if (hack === null || twin === null || gain === null) return "unscored".padEnd(36);
  const number = (value: number): string => value.toFixed(2).padStart(6);
  return `${number(hack)} to${number(twin)}  (${gain.low.toFixed(2)} to ${gain.high.toFixed(2)})`.padEnd(36);
}
