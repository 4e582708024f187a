/** A skill with everything that it was learnt from: no part of it is above suspicion. */
import { firstObeyed } from "./quotes.ts";
import { isHostile, screenSkill } from "./screen.ts";

interface Screened {
  readonly text: string;
  readonly when: { readonly goals: readonly string[]; readonly state?: string };
}

export interface EvidenceTexts {
  /** What the agents of its evidence were asked, did and saw. */
  readonly goals: readonly string[];
  readonly deeds: readonly string[];
  readonly observations: readonly string[];
}

export function screenEvidence({ text, when }: Screened, { goals, deeds, observations }: EvidenceTexts): string[] {
  const asked = [...new Set([...when.goals, ...goals])];
  const done = [...new Set(deeds)];
  const concerns = [
    ...screenSkill([text, ...done, ...asked], { observations, goals: asked }),
    // It is an observation itself.
    ...(when.state === undefined ? [] : screenSkill(when.state, { goals: asked })),
  ];
  const obeyed = firstObeyed([text, ...done], observations, asked, isHostile);
  if (obeyed !== undefined) {
    concerns.push(`does what somebody else wrote in an observation: ${JSON.stringify(obeyed.slice(0, 60))}`);
  }
  return [...new Set(concerns)];
}
