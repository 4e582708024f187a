/** Others of the group beside one episode: what they shared and where they parted. */
import type { Sibling } from "../api/trajectory.ts";
import { lineOf, type Decision, type Member } from "./group-members.ts";
import { clip } from "./long-text.ts";

const SHOWN = 64;
const LETTERS = 200;

export interface Siblings {
  readonly siblings: readonly Sibling[];
  /** How many episodes of the group stood in a state, by its key. */
  readonly visits: ReadonlyMap<string, number>;
}

export function siblingsOf(
  id: string,
  members: readonly Member[],
  decisions: ReadonlyMap<string, readonly Decision[]>,
): Siblings {
  const byId = new Map(members.map((member) => [member.id, member]));
  const lines = new Map(members.map((member) => [member.id, lineOf(member.id, byId, decisions)]));
  const visits = new Map<string, number>();
  for (const line of lines.values()) {
    for (const key of new Set(line.map(({ stateKey }) => stateKey))) visits.set(key, (visits.get(key) ?? 0) + 1);
  }
  const own = lines.get(id) ?? [];
  const parent = byId.get(id)?.parent?.trajectory;
  const siblings = members
    .filter((member) => member.id !== id)
    .map((member): Sibling => {
      const theirs = lines.get(member.id) ?? [];
      const parting = partingOf(own, theirs);
      const [left, right] = [own[parting], theirs[parting]];
      const together = left !== undefined && right !== undefined && left.stateKey === right.stateKey;
      return {
        id: member.id,
        outcome: member.outcome,
        reward: member.reward,
        steps: member.steps,
        shared: parting,
        diverged: together
          ? { step: left.step, own: clip(left.action, LETTERS), theirs: clip(right.action, LETTERS) }
          : null,
        relation: member.id === parent ? "parent" : member.parent?.trajectory === id ? "child" : "sibling",
      };
    });
  return { siblings: siblings.sort((left, right) => right.shared - left.shared).slice(0, SHOWN), visits };
}

/** The first place where the two did something different or were somewhere else. */
function partingOf(left: readonly Decision[], right: readonly Decision[]): number {
  const most = Math.min(left.length, right.length);
  for (let at = 0; at < most; at += 1) {
    const [one, other] = [left[at], right[at]];
    if (one?.stateKey !== other?.stateKey || one?.action !== other?.action) return at;
  }
  return most;
}
