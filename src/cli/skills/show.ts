/** `limbeck skills show NAME`. */
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine, cleanLines } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { givenNames, libraryWithUses } from "./open-given.ts";
import { withInterval } from "./words.ts";

const MOST_LINKS = 8;

export async function runShow(invocation: Invocation): Promise<number> {
  const library = await libraryWithUses(invocation);
  for (const name of givenNames(invocation, true)) {
    const skill = await library.read(name);
    const history = await library.history(name);
    if (invocation.json) {
      invocation.printJson({ event: "skill", ...skill, history });
      continue;
    }
    const { statistics: seen, lift } = skill;
    invocation.print(invocation.style.bold(skill.name));
    invocation.print(`${skill.status}, ${skill.level}, version ${skill.version}, by ${cleanLine(skill.source)}`);
    invocation.print();
    for (const line of cleanLines(skill.text)) invocation.print(`  ${line}`);
    invocation.print();
    for (const goal of skill.when.goals) invocation.print(`when      ${cleanLine(goal)}`);
    const links = skill.evidence
      .slice(0, MOST_LINKS)
      .map(({ trajectory, steps }) => `${trajectory} [${steps.join(" ")}]`);
    const more = skill.evidence.length > links.length ? ` and ${skill.evidence.length - links.length} more` : "";
    invocation.print(`evidence  ${cleanLine(links.join(", "))}${more}`);
    const { successes, failures } = skill.support;
    invocation.print(
      `support   ${successes} of ${successes + failures} episodes of its kind succeeded; groundedness ${skill.groundedness ?? "not computed"}`,
    );
    invocation.print(
      `uses      ${seen.uses}: ${seen.successes} succeeded; without it ${seen.withoutSuccesses} of ${seen.withoutUses}; utility ${seen.utility.toFixed(3)}`,
    );
    if (lift !== undefined) {
      invocation.print(
        `lift      ${lift.verdict}: ${withInterval(lift.over.placebo)} over the placebo, ${withInterval(lift.over.bare)} over nothing, ${plural(lift.pairs, "pair")}`,
      );
    }
    for (const concern of skill.concerns ?? []) invocation.print(`concern   ${cleanLine(concern)}`);
    for (const other of skill.contradicts ?? []) invocation.print(`against   ${cleanLine(other)}`);
    for (const { number, at, by, action, why, status } of history) {
      const reason = why === undefined ? "" : `: ${cleanLine(why)}`;
      invocation.print(
        `${String(number).padStart(4)}      ${cleanLine(at)}  ${cleanLine(by)}  ${cleanLine(action)} -> ${status}${reason}`,
      );
    }
  }
  return EXIT.done;
}
