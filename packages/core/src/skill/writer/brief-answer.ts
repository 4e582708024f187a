/**
 * Answers of a small writer. It names steps of its question ("b2") where it means their actions, so nothing is copied wrongly; its first
 * line is what it holds of each step, which decides and is not for the reader. An answer that its own question contradicts is none: the
 * template then writes. Of what to do instead only that is kept which a winning sibling did in the same state: other such advice is right in fewer than
 * half of the cases. Reflections and corrections are about what was not done, and are the writer's word.
 */
import { cutWords } from "limbeck-base/base/words";
import type { Writing } from "../skill.ts";
import { command, LEADS, type Reason, REASONS } from "../statistics/wording.ts";

/** A step of a brief question. */
export interface BriefStep {
  readonly name: string;
  readonly action: string;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly refused: boolean;
  readonly unmoved: boolean;
}

const STEP = /^([abc]\d{1,4})(?: (s\d+)(?:>(s\d+))?)?( \(refused\)| \(no change\))?: (.*)$/s;
const EVIDENCE = /^(?:[abc]?\d+[-+x=<!.](?: |$))+$/;

/**
 * The steps that a brief question names.
 *
 * @example
 * const [step] = briefSteps(["task: out", "a0 s0 (refused): fly"]);
 * console.log(step?.name, step?.action, step?.refused); // a0 fly true
 */
export function briefSteps(lines: readonly string[]): BriefStep[] {
  return lines.flatMap((line) => {
    const { 1: name, 2: from, 3: to, 4: mark, 5: action } = STEP.exec(line) ?? [];
    if (name === undefined || action === undefined) return [];
    return [{ name, action, from, to, refused: mark === " (refused)", unmoved: mark === " (no change)" }];
  });
}

/**
 * What the answer says, in the form that its kind is read in; undefined where it has no such form or its question contradicts it.
 *
 * @example
 * const brief = ["task: out", "a0: look", "a1: go east"];
 * console.log(readBriefAnswer({ kind: "correction", brief }, "a1- Do this now: go west")); // undefined
 * console.log(readBriefAnswer({ kind: "correction", brief }, "a1-\na0")); // look
 */
export function readBriefAnswer(
  { kind, brief = [] }: Pick<Writing<unknown>, "kind" | "brief">,
  text: string,
): string | undefined {
  const [evidence = "", ...said] = text.trim().split("\n");
  const [first] = said;
  if (!EVIDENCE.test(evidence.trim()) || first === undefined) return undefined;
  const record = recordOf(brief);
  if (kind === "skill") return skillOf(record, brief, said);
  if (kind === "reflection") return reflectionOf(record, first);
  if (kind === "correction") return record.commandOf(first);
  if (kind === "reason") return reasonOf(record, first);
  if (kind === "verdict") return /^(?:true|wrong|harmful)$/.exec(first)?.[0];
  return kind === "critique" ? /^\d+(?:, \d+)*$/.exec(first)?.[0] : undefined;
}

interface BriefRecord {
  readonly steps: ReadonlyMap<string, BriefStep>;
  /** Of a step that is named, or a command whose names stand in the record. */
  readonly commandOf: (said: string) => string | undefined;
}

function recordOf(brief: readonly string[]): BriefRecord {
  const steps = new Map(briefSteps(brief).map((step) => [step.name, step]));
  let known: ReadonlySet<string> | undefined;
  return {
    steps,
    commandOf: (said) => {
      const named = steps.get(said);
      if (named !== undefined) return command(named.action);
      known ??= new Set(cutWords(brief.join("\n"), NAMES).map((word) => word.toLowerCase()));
      // Words are the world's language; names and numbers must have been seen.
      return cutWords(said.replaceAll(/"\w+" ?:/g, " "), NAMES).every(
        (word, at) => !isName(word, at) || known?.has(word.toLowerCase()) === true,
      )
        ? said
        : undefined;
    },
  };
}

/** A name with "_" is one word. */
const NAMES = { pattern: /[\p{L}\p{N}_]+/gu, lower: false } as const;

/** A sentence begins with a capital whatever its first word. */
function isName(word: string, at: number): boolean {
  return /\p{N}/u.test(word) || (at > 0 && /^\p{Lu}/u.test(word));
}

function skillOf({ steps }: BriefRecord, brief: readonly string[], said: readonly string[]): string | undefined {
  const [text = "", ...hintLines] = said;
  const won = brief.includes("won:");
  const named = (names: readonly string[]): BriefStep[] | undefined => {
    const found = names.flatMap((name) => steps.get(name) ?? []);
    return found.length === names.length ? found : undefined;
  };
  const claims = readClaims(text);
  const sentences: string[] = [];
  for (const [at, claim] of claims.entries()) {
    const found = named(claim.commands);
    const [did, better] = claim.claim === "not" ? [claim, claims[at + 1]] : [claims[at - 1], claim];
    const isInstead = claim.claim === "not" || claim.claim === "but";
    if (isInstead && !isShown(steps.get(did?.commands[0] ?? ""), steps.get(better?.commands[0] ?? ""))) continue;
    if (found === undefined || !stands(claim, found, { steps, won })) return undefined;
    sentences.push(`${claim.lead}: ${found.map(({ action }) => command(action)).join("; ")}.`);
  }
  if (sentences.length === 0) return undefined;
  const hints = hintLines.flatMap((line) => {
    const { 1: at = "", 2: hint = "" } = /^a(\d+) (.+)$/.exec(line.trim()) ?? [];
    const own = steps.get(`a${at}`);
    const advice = own === undefined ? undefined : hintOf(own, hint, steps);
    return advice === undefined ? [] : [[at, advice] as const];
  });
  const length = [...steps.keys()].filter((name) => name.startsWith("a")).length;
  return JSON.stringify({
    episode_summary: `${won ? "won" : "lost"} after ${length} ${length === 1 ? "step" : "steps"}`,
    episode_skill: sentences.join(" "),
    step_skills: Object.fromEntries(hints),
  });
}

function hintOf(own: BriefStep, hint: string, steps: ReadonlyMap<string, BriefStep>): string | undefined {
  const warning = readWarning(hint);
  if (warning !== undefined) {
    const right = warning.action === own.name && wasWasted(own, warning.reason, steps);
    return right ? `Do not ${command(own.action)}; ${REASONS[warning.reason]}.` : undefined;
  }
  const [said] = readClaims(hint);
  const better = steps.get(said?.commands[0] ?? "");
  if (said?.claim !== "now" || better === undefined || !isShown(own, better)) return undefined;
  return `${said.lead}: ${command(better.action)}.`;
}

/** A sibling that won did the other thing in the same state. */
function isShown(own: BriefStep | undefined, better: BriefStep | undefined): boolean {
  return better?.name.startsWith("b") === true && better.from === own?.from && better.action !== own?.action;
}

/** Whether the record bears the claim out. */
function stands(
  { claim, commands }: ReadClaim,
  found: readonly BriefStep[],
  { steps, won }: { readonly steps: ReadonlyMap<string, BriefStep>; readonly won: boolean },
): boolean {
  const own = commands.every((name) => name.startsWith("a"));
  if (claim === "refused" || claim === "useless" || claim === "leadsBack") {
    return own && found.every((step) => wasWasted(step, claim, steps));
  }
  if (claim === "worked") return (own ? won : commands.every((name) => name.startsWith("b"))) && isWay(found, steps);
  if (claim === "tried" || claim === "not") return own && !won;
  return claim === "but";
}

function wasWasted(step: BriefStep, reason: Reason, steps: ReadonlyMap<string, BriefStep>): boolean {
  if (reason === "refused") return step.refused;
  if (reason === "useless") return step.unmoved;
  // It came to a state that the episode had left before.
  const [who] = step.name;
  const at = Number(step.name.slice(1));
  return [...steps.values()].some(
    ({ name, from }) => name[0] === who && Number(name.slice(1)) <= at && from === step.to && step.to !== undefined,
  );
}

/** Steps of one episode from its first state to its end, each in the state that the one before led to. */
function isWay(found: readonly BriefStep[], steps: ReadonlyMap<string, BriefStep>): boolean {
  const [who] = found[0]?.name ?? "";
  const all = [...steps.values()].filter(({ name }) => name[0] === who);
  return (
    found[0]?.from === all[0]?.from &&
    found.at(-1)?.name === all.at(-1)?.name &&
    found.every((step, at) => {
      const next = found[at + 1];
      return next === undefined || (step.to === next.from && all.indexOf(step) < all.indexOf(next));
    })
  );
}

function reflectionOf({ steps, commandOf }: BriefRecord, said: string): string | undefined {
  const { 1: at = "", 2: advice = "" } = /^a(\d+) (.+)$/.exec(said.trim()) ?? [];
  const [claim] = readClaims(advice);
  const better = commandOf(advice.slice(advice.indexOf(": ") + 2).replace(/\.$/, ""));
  if (claim?.claim !== "now" || !steps.has(`a${at}`) || better === undefined) return undefined;
  return JSON.stringify({ step: Number(at), guidance: `${claim.lead}: ${better}.` });
}

function reasonOf({ steps }: BriefRecord, said: string): string | undefined {
  let known = true;
  const reason = said.replaceAll(/"(c\d+)"/g, (_, name: string) => {
    known &&= steps.has(name);
    return `"${command(steps.get(name)?.action ?? "")}"`;
  });
  return known && reason !== said ? reason : undefined;
}

// Words in which a small writer makes its claims. The first of every list is the analyst's own, which the bundled models know best.

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

export interface ReadClaim {
  readonly claim: BriefClaim;
  readonly lead: string;
  readonly commands: readonly string[];
}

const LEAD = new RegExp(`(?:^|(?<=\\. ))(${[...CLAIMS.keys()].join("|")}): `, "g");

/**
 * What a text claims, sentence by sentence; empty for a text in words that the writer was not trained on.
 *
 * @example
 * console.log(readClaims("Refused: look. But: go east; go north.").map(({ claim, commands }) => [claim, commands.length])); // [ [ 'refused', 1 ], [ 'but', 2 ] ]
 */
export function readClaims(text: string): ReadClaim[] {
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
