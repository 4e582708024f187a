/** Several teachers, each for its own tasks: specialists. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { Scorer } from "limbeck-policy/policy/policy";
import { familyOf } from "limbeck-base/trajectory/family";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { openMembers, splitList } from "./open-teacher.ts";
import type { Teacher, TeacherKind } from "./teacher.ts";

const OTHERS = "*";

export const routed: TeacherKind = {
  info: {
    title: "By family of tasks",
    meaning: "A teacher for each family of tasks (teacherSource: heat=model:FOLDER, *=reference); * is for all others.",
  },
  options: { source: option.text(null, "teachers by family of tasks, such as heat=model:FOLDER, *=reference") },
  create: async (_model, options) => {
    const entries = splitList(options.source).map(routeOf);
    const { members, shared } = await openMembers(
      options,
      entries.map(({ text }) => text),
    );
    const byFamily = new Map(entries.map(({ family }, at) => [family, members[at] as Teacher]));
    const others = byFamily.get(OTHERS);
    if (others === undefined) {
      await shared.close?.();
      throw new EngineError("bad-option", 'The list of teachers has none for other families; add "*=reference", say.');
    }
    const scorerFor = (trajectory: Trajectory): Scorer => (byFamily.get(familyOf(trajectory.task)) ?? others).scorer;
    return { scorer: others.scorer, scorerFor, ...shared };
  },
};

function routeOf(entry: string): { readonly family: string; readonly text: string } {
  const at = entry.indexOf("=");
  const [family, text] = [entry.slice(0, Math.max(0, at)).trim(), entry.slice(at + 1).trim()];
  if (family !== "" && text !== "") return { family, text };
  throw new EngineError(
    "bad-option",
    `"${entry}" names no teacher for a family; write FAMILY=TEACHER, *=reference for example.`,
  );
}
