/** `limbeck reward judge`: judges that are trained on planted faults, and what they are worth. */
import { resolve } from "node:path";
import { parseOption } from "../../base/options.ts";
import { judgings, trainJudge } from "../../training/judge/registry.ts";
import { saveJudge } from "../../training/judge/saved-judge.ts";
import { lookUp } from "../../base/index.ts";
import type { Judging } from "../../training/judge/judging.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
import { refuseTarget } from "./refuse-target.ts";
import { parseOptionTexts } from "../play/world-options.ts";

export async function runRewardJudge(invocation: Invocation): Promise<number> {
  const method = invocation.text("method");
  if (method === undefined) {
    throw usageError(`limbeck reward judge needs --method NAME: ${Object.keys(judgings).join(", ")}.`);
  }
  const { options, info } = lookUp<Judging>(judgings, method, "training of judges");
  const given = parseOptionTexts(invocation, "set").map(
    ([key, text]) => [key, parseOption(options, key, text, method)] as const,
  );
  const named = invocation.text("out");
  const out = named === undefined ? undefined : resolve(invocation.io.cwd, named);
  if (out !== undefined) await refuseTarget(out, named ?? out);
  const seed = givenCount(invocation, "seed", 0, 0);
  const { metrics, kept } = await trainJudge(method, Object.fromEntries(given), seed);
  if (out !== undefined) await saveJudge(out, { ...kept, method, seed, metrics });
  if (invocation.json) {
    invocation.printJson({ event: "judged", method, metrics, ...(named === undefined ? {} : { out: named }) });
    return EXIT.done;
  }
  invocation.print(`${info.title}. ${info.meaning}`);
  for (const [name, value] of Object.entries(metrics)) invocation.print(`  ${name.padEnd(20)} ${value.toFixed(3)}`);
  if (named !== undefined)
    invocation.print(
      `${invocation.style.green("✓")} The judge is in ${invocation.style.cyan(named)}${kept.reads === "bookings" ? "; name it in a plan of rewards: { use: process, scorer: DIR }, or with --scorer of rollout and train" : ""}`,
    );
  return EXIT.done;
}
