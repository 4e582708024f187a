/** `limbeck reward judge`: judges that are trained on planted faults, and what they are worth. */
import { parseOption } from "../../base/options.ts";
import { judgings, runJudging } from "../../training/judge/registry.ts";
import { lookUp } from "../../base/index.ts";
import type { Judging } from "../../training/judge/judging.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { givenCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";
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
  const metrics = await runJudging(method, Object.fromEntries(given), givenCount(invocation, "seed", 0, 0));
  if (invocation.json) {
    invocation.printJson({ event: "judged", method, metrics });
    return EXIT.done;
  }
  invocation.print(`${info.title}. ${info.meaning}`);
  for (const [name, value] of Object.entries(metrics)) invocation.print(`  ${name.padEnd(20)} ${value.toFixed(3)}`);
  return EXIT.done;
}
