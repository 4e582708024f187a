/**
 * What may become of a skill, in one place. Quarantine is left by "release" alone, whoever writes and by whatever way: every
 * change of a library goes through `checkTransition`, and what stands in the files is read through `standing.ts`.
 */
import { EngineError } from "../../base/index.ts";
import type { LibrarySkill, Status } from "./library-skill.ts";

const SAME = {
  candidate: "candidate",
  unproven: "unproven",
  active: "active",
  advisory: "advisory",
  archived: "archived",
  quarantined: "quarantined",
} as const satisfies Record<Status, Status>;

/** From which states a decision leads where; undefined: refused. */
export const decisions = {
  promote: {
    candidate: "active",
    unproven: "active",
    advisory: "active",
    archived: "advisory",
    active: "active",
    quarantined: undefined,
  },
  demote: {
    active: "advisory",
    advisory: "archived",
    candidate: "archived",
    unproven: "archived",
    archived: "archived",
    quarantined: undefined,
  },
  retire: {
    candidate: "archived",
    unproven: "archived",
    active: "archived",
    advisory: "archived",
    archived: "archived",
    quarantined: undefined,
  },
  quarantine: {
    candidate: "quarantined",
    unproven: "quarantined",
    active: "quarantined",
    advisory: "quarantined",
    archived: "quarantined",
    quarantined: "quarantined",
  },
  /** A person has looked: it may be tested now. */
  release: { ...SAME, quarantined: "candidate" },
} as const satisfies Record<string, Readonly<Record<Status, Status | undefined>>>;

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
