/** `limbeck skills show NAME`. */
import type { EventOf, Input } from "limbeck-base/base/operation";
import { libraryWithUses } from "limbeck-store/record/skill-uses";
import type { libraryInputs, skillEvents } from "limbeck-core/skill/skills.inputs";
import type { Frame } from "../command-of.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";
import { withInterval } from "./words.ts";

const MOST_LINKS = 8;

export async function showSkills(
  given: Input<typeof libraryInputs> & { readonly names: readonly string[] },
  frame: Frame<EventOf<typeof skillEvents>>,
): Promise<void> {
  const { emit, print, style } = frame;
  const library = await libraryWithUses(given, frame);
  for (const name of given.names) {
    const skill = await library.read(name);
    const history = await library.history(name);
    emit({ event: "skill", ...skill, history });
    const { statistics: seen, lift } = skill;
    print(style.bold(skill.name));
    print(`${skill.status}, ${skill.level}, version ${skill.version}, by ${cleanLine(skill.source)}`);
    print();
    for (const line of cleanLines(skill.text)) print(`  ${line}`);
    print();
    for (const goal of skill.when.goals) print(`when      ${cleanLine(goal)}`);
    const links = skill.evidence
      .slice(0, MOST_LINKS)
      .map(({ trajectory, steps }) => `${trajectory} [${steps.join(" ")}]`);
    const more = skill.evidence.length > links.length ? ` and ${skill.evidence.length - links.length} more` : "";
    print(`evidence  ${cleanLine(links.join(", "))}${more}`);
    const { successes, failures } = skill.support;
    print(
      `support   ${successes} of ${successes + failures} episodes of its kind succeeded; groundedness ${skill.groundedness ?? "not computed"}`,
    );
    print(
      `uses      ${seen.uses}: ${seen.successes} succeeded; without it ${seen.withoutSuccesses} of ${seen.withoutUses}; utility ${seen.utility.toFixed(3)}`,
    );
    if (lift !== undefined) {
      print(
        `lift      ${lift.verdict}: ${withInterval(lift.over.placebo)} over the placebo, ${withInterval(lift.over.bare)} over nothing, ${plural(lift.pairs, "pair")}`,
      );
    }
    for (const concern of skill.concerns ?? []) print(`concern   ${cleanLine(concern)}`);
    for (const other of skill.contradicts ?? []) print(`against   ${cleanLine(other)}`);
    for (const { number, at, by, action, why, status } of history) {
      const reason = why === undefined ? "" : `: ${cleanLine(why)}`;
      print(
        `${String(number).padStart(4)}      ${cleanLine(at)}  ${cleanLine(by)}  ${cleanLine(action)} -> ${status}${reason}`,
      );
    }
  }
}
