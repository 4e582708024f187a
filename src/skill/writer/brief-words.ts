/** Words in which a small writer makes its claims. The first of every list is the analyst's own, which the bundled models know best. */
import { LEADS, REASONS, type Reason } from "../statistics/wording.ts";

export const CLAIM_LEADS = {
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

export type BriefClaim = keyof typeof CLAIM_LEADS;

const CLAIMS: ReadonlyMap<string, BriefClaim> = new Map(
  Object.entries(CLAIM_LEADS).flatMap(([claim, leads]) => leads.map((lead) => [lead, claim as BriefClaim])),
);

export interface Said {
  readonly claim: BriefClaim;
  readonly lead: string;
  readonly commands: readonly string[];
}

const LEAD = new RegExp(`(?:^|(?<=\\. ))(${[...CLAIMS.keys()].join("|")}): `, "g");

/**
 * What a text claims, sentence by sentence; empty for a text in words that nobody taught the writer.
 *
 * @example
 * console.log(readClaims("Refused: look. But: go east; go north.").map(({ claim, commands }) => [claim, commands.length])); // [ [ 'refused', 1 ], [ 'but', 2 ] ]
 */
export function readClaims(text: string): Said[] {
  const found = [...text.matchAll(LEAD)];
  if (found[0]?.index !== 0) return [];
  return found.map(({ index, 0: whole, 1: lead = "" }, at) => {
    const body = text.slice(index + whole.length, found[at + 1]?.index ?? text.length).trim();
    const commands = body.replace(/\.$/, "").split("; ").filter(Boolean);
    return { claim: CLAIMS.get(lead) as BriefClaim, lead, commands };
  });
}

const WARNING = new RegExp(`^Do not (.+); (${Object.values(REASONS).join("|")})\\.$`);

/**
 * A warning against one command, with its reason; undefined for anything else.
 *
 * @example
 * console.log(readWarning("Do not look; it changes nothing.")); // { action: 'look', reason: 'useless' }
 */
export function readWarning(text: string): { readonly action: string; readonly reason: Reason } | undefined {
  const { 1: action, 2: said } = WARNING.exec(text.trim()) ?? [];
  const reason = (Object.keys(REASONS) as Reason[]).find((one) => REASONS[one] === said);
  return action === undefined || reason === undefined ? undefined : { action, reason };
}
