/** Decisions about skills by hand, and taking them back. */
import { withoutUndefined } from "../../base/index.ts";
import { decide, rollBack, type DecisionId, type LibrarySkill } from "../../skill/library/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { maybeCount } from "../model/open-given.ts";
import { givenBy, givenLibrary, givenNames, givenWhy } from "./open-given.ts";

export async function runDecision(invocation: Invocation, decision: string): Promise<number> {
  const library = givenLibrary(invocation);
  for (const name of givenNames(invocation, true)) {
    const despite = invocation.flag("yes");
    const act = { decision: decision as DecisionId, by: givenBy(invocation), ...givenWhy(invocation), despite };
    say(invocation, decision, await decide(library, name, act));
  }
  await library.list();
  return EXIT.done;
}

export async function runRollback(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const to = withoutUndefined({ to: maybeCount(invocation, "to") });
  for (const name of givenNames(invocation, true)) {
    say(
      invocation,
      "rollback",
      await rollBack(library, name, { by: givenBy(invocation), ...givenWhy(invocation), ...to }),
    );
  }
  await library.list();
  return EXIT.done;
}

function say(invocation: Invocation, decision: string, { name, status, version }: LibrarySkill): void {
  if (invocation.json) invocation.printJson({ event: "change", name, decision, status, version });
  else invocation.print(`${invocation.style.green("✓")} ${name} is ${status} now (${decision}).`);
}
