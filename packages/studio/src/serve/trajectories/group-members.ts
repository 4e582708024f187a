/** The episodes of a group, each as the line of its decisions from the root. */
import { quote } from "limbeck-store/store/migrations";
import type { Store } from "limbeck-store/store/store";
import type { Outcome } from "../api/base.ts";
import { numberOr, outcomeOr, textOr } from "../runs/cells.ts";

export interface Member {
  readonly id: string;
  readonly outcome: Outcome;
  readonly reward: number | null;
  readonly steps: number;
  readonly parent: { readonly trajectory: string; readonly step: number; readonly token: number | null } | null;
}

export interface GroupStep {
  /** Where it stands in the store. */
  readonly trajectory: string;
  readonly step: number;
  readonly stateKey: string;
  readonly observation: string;
  readonly action: string;
  readonly valid: boolean;
}

export interface GroupScope {
  readonly run: string;
  readonly group: string;
  /** Ids of groups may come again in another update. */
  readonly update: number | null;
  readonly phase: string | null;
}

const LETTERS = 400;

/** In stored order, at most `most`. */
export async function readMembers(
  store: Store,
  { run, group, update, phase }: GroupScope,
  most: number,
): Promise<{ readonly members: readonly Member[]; readonly cut: boolean }> {
  const { rows } = await store.list(
    `select id, success, reward, step_count, parent, parent_step, parent_token from listed
     where run = ${quote(run)} and group_id = ${quote(group)}
       and update_number is not distinct from ${update ?? "null"}
       and phase is not distinct from ${phase === null ? "null" : quote(phase)}
     order by place limit ${most + 1}`,
    { run },
  );
  const members = rows.slice(0, most).map(([id, success, reward, steps, parent, step, token]): Member => {
    const named = textOr(parent);
    return {
      id: String(id),
      outcome: outcomeOr(success),
      reward: numberOr(reward),
      steps: Number(steps),
      parent: named === null ? null : { trajectory: named, step: Number(step), token: numberOr(token) },
    };
  });
  return { members, cut: rows.length > most };
}

/** What each of the members decided itself, in order; at most `mostSteps` of each. */
export async function readDecisions(
  store: Store,
  run: string,
  members: readonly Pick<Member, "id">[],
  mostSteps: number,
): Promise<Map<string, GroupStep[]>> {
  const decisions = new Map<string, GroupStep[]>(members.map(({ id }) => [id, []]));
  if (members.length === 0) return decisions;
  const ids = members.map(({ id }) => id);
  const [least, last] = [ids.reduce((a, b) => (a < b ? a : b)), ids.reduce((a, b) => (a > b ? a : b))];
  const { rows } = await store.query(
    `select trajectory, step, state_key, left(observation, ${LETTERS}), left(action, ${LETTERS}), valid from steps
     where trajectory >= ${quote(least)} and trajectory <= ${quote(last)}
       and trajectory in (${ids.map(quote).join(", ")})
     order by step`,
    { run, around: ids },
  );
  for (const [trajectory, step, stateKey, observation, action, valid] of rows) {
    const own = decisions.get(String(trajectory));
    if (own === undefined || own.length >= mostSteps) continue;
    own.push({
      trajectory: String(trajectory),
      step: Number(step),
      stateKey: String(stateKey),
      observation: String(observation),
      action: String(action),
      valid: valid === true,
    });
  }
  return decisions;
}

/** From the root to the end: what a branch took over from its parents stands in front of its own. */
export function lineOf(
  id: string,
  members: ReadonlyMap<string, Member>,
  decisions: ReadonlyMap<string, readonly GroupStep[]>,
): GroupStep[] {
  const pieces: GroupStep[][] = [];
  const seen = new Set<string>();
  let end = Number.POSITIVE_INFINITY;
  for (let next: string | undefined = id; next !== undefined && !seen.has(next);) {
    seen.add(next);
    const limit = end;
    pieces.push((decisions.get(next) ?? []).filter(({ step }) => step < limit));
    const { parent }: Pick<Member, "parent"> = members.get(next) ?? { parent: null };
    end = Math.min(end, parent?.step ?? end);
    next = parent?.trajectory;
  }
  return pieces.reverse().flat();
}
