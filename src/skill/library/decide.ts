/** What people and gates decide about a skill, each as one change with who, when and why; every one can be undone. */
import { EngineError, lookUp } from "../../base/index.ts";
import type { Library } from "./library.ts";
import type { LibrarySkill, LiftRecord, Status } from "./library-skill.ts";

/** From which states a decision leads where. */
const steps = {
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
    quarantined: "archived",
  },
  retire: always("archived"),
  quarantine: always("quarantined"),
  /** A person has looked: it may be tested now. */
  release: { ...same(), quarantined: "candidate" },
} as const satisfies Record<string, Readonly<Record<Status, Status | undefined>>>;

export type DecisionId = keyof typeof steps;

export interface Decision {
  readonly decision: DecisionId;
  readonly by: string;
  readonly why?: string;
  readonly lift?: LiftRecord;
}

export async function decide(
  library: Library,
  name: string,
  { decision, by, why, lift }: Decision,
): Promise<LibrarySkill> {
  const table = lookUp<Readonly<Record<Status, Status | undefined>>>(steps, decision, "decision");
  return await library.change(name, { by, action: decision, ...(why === undefined ? {} : { why }) }, (skill) => {
    const status = table[skill.status];
    if (status === undefined) {
      throw new EngineError(
        "quarantined",
        `Skill "${name}" is in quarantine (${skill.concerns?.join("; ") ?? "by hand"}); read it, then release it before it is promoted.`,
      );
    }
    if (status === skill.status && lift === undefined) return undefined;
    const { concerns, ...rest } = skill;
    const kept = decision === "release" || concerns === undefined ? {} : { concerns };
    return { ...rest, ...kept, status, ...(lift === undefined ? {} : { lift }) };
  });
}

/** Undoes the last change, or goes back to a number of the history. */
export async function rollBack(
  library: Library,
  name: string,
  { by, why, to }: { readonly by: string; readonly why?: string; readonly to?: number },
): Promise<LibrarySkill> {
  const history = await library.history(name);
  const number = to ?? history.at(-2)?.number;
  if (number === undefined) {
    throw new EngineError("nothing-to-roll-back", `Skill "${name}" has had no change that could be taken back.`);
  }
  return await library.restore(name, number, {
    by,
    action: `rollback to ${number}`,
    ...(why === undefined ? {} : { why }),
  });
}

function always(status: Status): Readonly<Record<Status, Status>> {
  return {
    ...same(),
    candidate: status,
    unproven: status,
    active: status,
    advisory: status,
    archived: status,
    quarantined: status,
  };
}

function same(): Readonly<Record<Status, Status>> {
  return {
    candidate: "candidate",
    unproven: "unproven",
    active: "active",
    advisory: "advisory",
    archived: "archived",
    quarantined: "quarantined",
  };
}
