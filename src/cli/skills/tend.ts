/** What uses say: reports of episodes, and what follows from all of them. */
import { decide } from "../../skill/library/index.ts";
import { hasExpired, statusByUse } from "../../skill/lifecycle/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { givenBy, givenLibrary, givenNames, givenWhy, libraryWithUses } from "./open-given.ts";

export async function runReport(invocation: Invocation): Promise<number> {
  const library = givenLibrary(invocation);
  const outcome = invocation.text("outcome");
  if (outcome !== "success" && outcome !== "failure") throw usageError("--outcome must be success or failure.");
  const trajectory = invocation.text("trajectory");
  for (const name of givenNames(invocation, true)) {
    await library.report(name, {
      at: new Date().toISOString(),
      offered: !invocation.flag("without"),
      success: outcome === "success",
      by: givenBy(invocation),
      ...(trajectory === undefined ? {} : { trajectory }),
    });
    const { status, statistics } = await library.read(name);
    if (invocation.json) invocation.printJson({ event: "skill", name, status, statistics });
    else invocation.print(`${name}: ${statistics.successes} of ${plural(statistics.uses, "use")} succeeded.`);
  }
  await library.list();
  return EXIT.done;
}

/** By use alone nothing becomes active that was never proven; see `statusByUse`. */
export async function runTend(invocation: Invocation): Promise<number> {
  const library = await libraryWithUses(invocation);
  const { skills } = await library.list();
  let changed = 0;
  for (const skill of skills) {
    const next = statusByUse(skill);
    const expired = hasExpired(skill, Date.now());
    const decision = expired ? "retire" : next === skill.status ? undefined : next === "active" ? "promote" : "demote";
    if (decision === undefined) continue;
    changed += 1;
    const { successes, failures } = skill.statistics;
    const why = expired ? "long unused" : `${successes} of ${successes + failures} uses succeeded`;
    const { status } = await decide(library, skill.name, {
      decision,
      by: givenBy(invocation),
      why,
      ...givenWhy(invocation),
    });
    if (invocation.json) invocation.printJson({ event: "change", name: skill.name, decision, status });
    else invocation.print(`${skill.name}: ${decision}, ${why}.`);
  }
  await library.list();
  if (invocation.json) invocation.printJson({ event: "end", skills: skills.length, changed });
  else invocation.print(`${plural(changed, "skill")} changed.`);
  return EXIT.done;
}
