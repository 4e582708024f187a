/**
 * The sentences of the statistics analyst. Every one is a lead, a colon and commands exactly as the world wrote them,
 * so that a small model can learn to read them and nothing in them depends on the world.
 */

/** One lead each. A model cloned on these forms must see the same words here. */
export const LEADS = {
  worked: "This worked",
  refused: "Refused",
  useless: "Useless",
  leadsBack: "Leads back",
  repeat: "Do not repeat",
  tried: "Already tried",
  not: "Not",
  but: "But",
  now: "Do this now",
} as const;

/** Why a command is advised against at a step. */
export const REASONS = {
  refused: "it is refused here",
  useless: "it changes nothing",
  leadsBack: "it leads back",
} as const;

export type Reason = keyof typeof REASONS;

/** What an avoidance rule has to tell; empty lists are left out. */
export interface Avoidance {
  /** Commands that the world refused. */
  readonly refused?: readonly string[];
  /** Commands that changed nothing. */
  readonly useless?: readonly string[];
  /** Commands after which the episode came back to where it had been. */
  readonly leadsBack?: readonly string[];
  /** Commands given over and over. */
  readonly repeated?: readonly string[];
  /** What the failed episode did that has not shown itself as any of these. */
  readonly tried?: readonly string[];
  /** In the same state: what was done, and what a successful sibling did. */
  readonly instead?: { readonly did: string; readonly sibling: string };
  /** The clean workflow of a sibling that succeeded. */
  readonly workflow?: readonly string[];
}

/** Longest command that is quoted whole; what a model rambles must not fill the skill. */
const LONGEST_COMMAND = 160;

/**
 * "This worked: go to shelf 1; take cup 1 from shelf 1."
 *
 * @example
 * console.log(workflowText(["go to shelf 1", "take cup 1 from shelf 1"])); // This worked: go to shelf 1; take cup 1 from shelf 1.
 */
export function workflowText(actions: readonly string[]): string {
  return sentence(LEADS.worked, actions);
}

/**
 * "Useless: look. Leads back: go to shelf 1. Not: go to toilet 1. But: go to microwave 1. This worked: go to …"
 * What to avoid comes first, the positive half last, where a reader that skims still finds it. Empty when there is
 * nothing to tell.
 *
 * @example
 * console.log(avoidanceText({ useless: ["look"], workflow: ["go to shelf 1"] })); // Useless: look. This worked: go to shelf 1.
 */
export function avoidanceText(avoidance: Avoidance): string {
  const { refused = [], useless = [], leadsBack = [], repeated = [], tried = [], instead, workflow = [] } = avoidance;
  return [
    sentence(LEADS.refused, refused),
    sentence(LEADS.useless, useless),
    sentence(LEADS.leadsBack, leadsBack),
    sentence(LEADS.repeat, repeated),
    sentence(LEADS.tried, tried),
    ...(instead === undefined ? [] : [sentence(LEADS.not, [instead.did]), sentence(LEADS.but, [instead.sibling])]),
    sentence(LEADS.worked, workflow),
  ]
    .filter((text) => text !== "")
    .join(" ");
}

/**
 * "Do this now: heat egg 1 with microwave 1."
 *
 * @example
 * console.log(stepAdvice("heat egg 1 with microwave 1")); // Do this now: heat egg 1 with microwave 1.
 */
export function stepAdvice(action: string): string {
  return sentence(LEADS.now, [action]);
}

/**
 * "Do not look; it changes nothing."
 *
 * @example
 * console.log(stepWarning("look", "useless")); // Do not look; it changes nothing.
 */
export function stepWarning(action: string, reason: Reason): string {
  return `Do not ${command(action)}; ${REASONS[reason]}.`;
}

/** What a chat template writes between turns. In a quoted command it would be read as such. */
const CONTROL_TOKEN = /<\|\w{1,40}\|>/g;

/** The command on one line, cut where it is too long to quote. */
export function command(action: string): string {
  const line = action
    .replaceAll(CONTROL_TOKEN, " ")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return line.length <= LONGEST_COMMAND ? line : `${line.slice(0, LONGEST_COMMAND).trimEnd()} …`;
}

function sentence(lead: string, actions: readonly string[]): string {
  const commands = actions.map(command).filter((text) => text !== "");
  if (commands.length === 0) return "";
  return `${lead}: ${commands.join("; ")}.`;
}
