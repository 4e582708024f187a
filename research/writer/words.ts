/** Wordings of what the writer learns to say: claims of `limbeck/skill`, and reasons. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng } from "limbeck";
import { CLAIM_LEADS, type BriefClaim } from "../../packages/core/src/skill/writer/brief-answer.ts";
import { REASONS, type Reason } from "../../packages/core/src/skill/statistics/wording.ts";

/** Half of all texts are in the analyst's own words: an answer without chance then takes these. */
const OWN_SHARE = 0.5;

/** One set of words for a whole text. */
export type Voice = Readonly<Record<BriefClaim, string>>;

export function drawVoice(rng: Rng): Voice {
  const own = rng.float() < OWN_SHARE;
  return Object.fromEntries(
    Object.entries(CLAIM_LEADS).map(([claim, leads]) => [claim, own ? leads[0] : (pick(leads, rng) as string)]),
  ) as Record<BriefClaim, string>;
}

export function say(voice: Voice, claim: BriefClaim, commands: readonly string[]): string {
  return commands.length === 0 ? "" : `${voice[claim]}: ${commands.join("; ")}.`;
}

export function warn(action: string, reason: Reason): string {
  return `Do not ${action}; ${REASONS[reason]}.`;
}

/** Why other actions were worse. */
export const FLAWS = {
  refused: ["is refused", "is not accepted"],
  useless: ["changes nothing", "has no effect"],
  lost: ["loses the game", "ends it badly"],
  slow: ["brings nothing nearer", "is a detour"],
} as const;

export type Flaw = keyof typeof FLAWS;

const REASON_FORMS: readonly ((best: string, flaws: string) => string)[] = [
  (best, flaws) => `"${best}" brings the goal nearer; ${flaws}.`,
  (best, flaws) => `Because "${best}" is a step towards the goal, while ${flaws}.`,
  (best, flaws) => `It is better to "${best}": ${flaws}.`,
];

export function sayReason(best: string, others: readonly { action: string; flaw: Flaw }[], rng: Rng): string {
  const flaws = others.map(({ action, flaw }) => `"${action}" ${pick(FLAWS[flaw], rng)}`).join(", ");
  const form = rng.float() < OWN_SHARE ? REASON_FORMS[0] : pick(REASON_FORMS, rng);
  return (form as (typeof REASON_FORMS)[number])(best, flaws);
}
