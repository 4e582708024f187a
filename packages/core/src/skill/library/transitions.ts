/**
 * What may become of a skill, in one place. Quarantine is left by "release" alone, in every way of writing: every
 * change of a library goes through `checkTransition`, and what stands in the files is read through `standing.ts`.
 */
import { EngineError } from "limbeck-base/base/errors";
import { STATUSES, type LibrarySkill, type Status } from "./library-skill.ts";

type Ways = Readonly<Record<Status, Status | undefined>>;

const from = (to: (status: Status) => Status): Record<Status, Status> =>
  Object.fromEntries(STATUSES.map((status) => [status, to(status)])) as Record<Status, Status>;
const all = (to: Status): Record<Status, Status> => from(() => to);

/** From which states a decision leads where; undefined: refused. */
export const decisions = {
  promote: { ...all("active"), archived: "advisory", quarantined: undefined },
  demote: { ...all("archived"), active: "advisory", quarantined: undefined },
  retire: { ...all("archived"), quarantined: undefined },
  quarantine: all("quarantined"),
  /** A person has looked: it may be tested now. */
  release: { ...from((status) => status), quarantined: "candidate" },
} as const satisfies Record<string, Ways>;

export type DecisionId = keyof typeof decisions;

type Held = Pick<LibrarySkill, "name" | "status" | "concerns">;

/** `action` is what the history will say of the change. */
export function checkTransition(now: Held, next: Pick<LibrarySkill, "status">, action: string): void {
  if (now.status === "quarantined" && next.status !== "quarantined" && action !== "release") {
    throw inQuarantine(now, action);
  }
}

export function inQuarantine({ name, concerns }: Held, action: string): EngineError {
  return new EngineError(
    "quarantined",
    `Skill "${name}" is in quarantine (${concerns?.join("; ") ?? "by hand"}), out of use, and "${action}" cannot bring it out; read it, then "limbeck skills release ${name}".`,
  );
}
