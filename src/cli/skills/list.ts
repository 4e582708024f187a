/** `limbeck skills list`. */
import { lookUp } from "../../base/index.ts";
import { STATUSES, type LibraryEntry } from "../../skill/library/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { plural } from "../look/units.ts";
import { libraryWithUses } from "./open-given.ts";
import { signed } from "./words.ts";

export async function runList(invocation: Invocation): Promise<number> {
  const library = await libraryWithUses(invocation);
  const status = invocation.text("status");
  if (status !== undefined) lookUp(Object.fromEntries(STATUSES.map((known) => [known, known])), status, "status");
  const { skills, problems } = await library.list();
  const shown = skills.filter((skill) => status === undefined || skill.status === status);
  if (invocation.json) {
    for (const skill of shown) invocation.printJson({ event: "skill", ...skill });
    for (const problem of problems) invocation.printJson({ event: "problem", ...problem });
    invocation.printJson({ event: "end", skills: shown.length });
    return EXIT.done;
  }
  if (shown.length > 0) {
    printTable(invocation, ["name", "status", "level", right("seen in"), "lift", "about"], shown.map(row));
  } else invocation.print(`No skills in ${cleanLine(library.root)}. "limbeck skills extract" makes some.`);
  for (const { name, problem } of problems) invocation.note(`! ${cleanLine(name)}: ${cleanLine(problem)}`);
  invocation.note(
    `${plural(shown.length, "skill")}${problems.length === 0 ? "" : `, ${plural(problems.length, "file")} that cannot be read`}`,
  );
  return EXIT.done;
}

function row({ name, status, level, links, lift, text }: LibraryEntry): string[] {
  const measured = lift === undefined ? "" : `${signed(lift.over.placebo.value)} ${lift.verdict}`;
  return [name, status, level, String(links), measured, text];
}
