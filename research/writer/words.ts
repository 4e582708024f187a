/**
 * Wordings of what the writer learns to say. Each is a lead, a colon and commands as the world wrote them, so that what was
 * written can be read back and checked. The first of every list is the analyst's own, which the bundled models know best.
 */
import { pick, type Rng } from "limbeck/base";
import { LEADS, REASONS, type Reason } from "limbeck/skill";

const SAID = {
  worked: [LEADS.worked, "Do this", "Steps", "What worked", "This way works", "Workflow", "A way that wins"],
  refused: [LEADS.refused, "The world refuses", "Not accepted here"],
  useless: [LEADS.useless, "This changes nothing", "Without effect"],
  leadsBack: [LEADS.leadsBack, "This only leads back", "A detour"],
  repeat: [LEADS.repeat],
  tried: [LEADS.tried, "Did not help", "Tried in vain"],
  not: [LEADS.not, "Wrong", "Avoid"],
  but: [LEADS.but, "Right", "Better"],
  now: [LEADS.now, "Next", "Best here", "Now"],
} as const;

export type Claim = keyof typeof SAID;

const MORE_LEADS: Readonly<Record<string, Claim>> = Object.fromEntries(
  Object.entries(SAID).flatMap(([claim, leads]) => leads.map((lead) => [lead, claim as Claim])),
);

/** Half of all texts are in the analyst's own words: an answer without chance then takes these. */
const OWN_SHARE = 0.5;

/** One set of words for a whole text. */
export type Voice = Readonly<Record<Claim, string>>;

export function drawVoice(rng: Rng): Voice {
  const own = rng.float() < OWN_SHARE;
  return Object.fromEntries(
    Object.entries(SAID).map(([claim, leads]) => [claim, own ? leads[0] : (pick(leads, rng) as string)]),
  ) as Record<Claim, string>;
}

export function say(voice: Voice, claim: Claim, commands: readonly string[]): string {
  return commands.length === 0 ? "" : `${voice[claim]}: ${commands.join("; ")}.`;
}

export function warn(action: string, reason: Reason): string {
  return `Do not ${action}; ${REASONS[reason]}.`;
}

export interface Said {
  readonly claim: Claim;
  readonly commands: readonly string[];
}

const LEAD = new RegExp(`(?:^|(?<=\\. ))(${Object.keys(MORE_LEADS).join("|")}): `, "g");

/** What a text claims, read back; empty for a text in words that nobody taught it. */
export function readClaims(text: string): Said[] {
  const found = [...text.matchAll(LEAD)];
  return found.map(({ index, 0: whole, 1: lead = "" }, at) => {
    const body = text.slice(index + whole.length, found[at + 1]?.index ?? text.length).trim();
    const commands = body.replace(/\.$/, "").split("; ").filter(Boolean);
    return { claim: MORE_LEADS[lead] as Claim, commands };
  });
}

const WARNING = new RegExp(`^Do not (.+); (${Object.values(REASONS).join("|")})\\.$`);

/** A warning against one command, with its reason. */
export function readWarning(text: string): { readonly action: string; readonly reason: Reason } | undefined {
  const { 1: action, 2: said } = WARNING.exec(text.trim()) ?? [];
  const reason = (Object.keys(REASONS) as Reason[]).find((one) => REASONS[one] === said);
  return action === undefined || reason === undefined ? undefined : { action, reason };
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
