/** `limbeck skills list`. */
import type { EventOf } from "limbeck-base/base/operation";
import { libraryWithUses } from "limbeck-store/record/skill-uses";
import { withSign } from "limbeck-core/skill/install/facts";
import type { LibraryEntry } from "limbeck-core/skill/library/index-file";
import type { listEvents } from "limbeck-core/skill/skills.inputs";
import type { Frame } from "../command-of.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { printTable, right } from "../look/table.ts";
import { plural } from "limbeck-base/base/units";

export async function listSkills(
  given: Record<"library" | "status", string | undefined>,
  frame: Frame<EventOf<typeof listEvents>>,
): Promise<void> {
  const library = await libraryWithUses(given, frame);
  const { skills, problems } = await library.list();
  const shown = skills.filter(({ status }) => given.status === undefined || status === given.status);
  for (const skill of shown) frame.emit({ event: "skill", ...skill });
  for (const problem of problems) frame.emit({ event: "problem", ...problem });
  frame.emit({ event: "end", skills: shown.length });
  if (shown.length > 0) {
    printTable(frame, ["name", "status", "level", right("seen in"), "lift", "about"], shown.map(row));
  } else frame.print(`No skills in ${cleanLine(library.root)}. "limbeck skills extract" makes some.`);
  for (const { name, problem } of problems) frame.note(`! ${cleanLine(name)}: ${cleanLine(problem)}`);
  frame.note(
    `${plural(shown.length, "skill")}${problems.length === 0 ? "" : `, ${plural(problems.length, "file")} that cannot be read`}`,
  );
}

function row({ name, status, level, links, lift, text }: LibraryEntry): string[] {
  const measured = lift === undefined ? "" : `${withSign(lift.over.placebo.value)} ${lift.verdict}`;
  return [name, status, level, String(links), measured, text];
}
