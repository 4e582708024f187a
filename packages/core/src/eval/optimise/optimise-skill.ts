/**
 * One skill's text made better, behind a gate: rollouts with the present text, an edit of it by a proposer, and a held-out paired trial of
 * the edited text against the present one. What does not pass goes into a buffer that the next proposals see.
 *
 * Rounds, bounded edits and the buffer follow SkillOpt (arXiv 2605.23904), whose gate asks that the held-out mean rises: `strict`. A mean of
 * few tasks rises by luck too, and a gate that is asked every night lets luck in. `proven` asks for evidence (`always-valid.ts`): candidate k
 * is tested at level 0.025 / (k (k + 1)), and these add up to at most 0.025, so that in at most 2.5 of 100 optimisations, however
 * long, an edit that is no better is ever taken.
 */
import { checkOptions, may } from "limbeck-base/base/options";
import type { Task } from "limbeck-base/trajectory/trajectory";
import { countPairs, differenceOf, isAbove, isBelow, LEVEL, NO_PAIRS, type Pair } from "../lift/always-valid.ts";
import { LOOK_EVERY } from "../lift/lift.ts";
import type { Difference } from "../../skill/library/library-skill.ts";
import { applyEdits, faultsOf, type SkillEdit } from "./edits.ts";

/** One task with one text; `transcript` is what a proposer may read of it. */
export interface SkillTrial {
  readonly task: Task;
  readonly success: number | null;
  readonly transcript?: string;
}

/** Which of several trials of the same task this is makes no other difference. */
export type RunTrials = (tasks: readonly Task[], text: string, round: number) => Promise<readonly SkillTrial[]>;

export interface RefusedText {
  readonly text: string;
  readonly why: string;
}

export interface ProposalContext {
  readonly text: string;
  /** Of this round, with the present text. */
  readonly trials: readonly SkillTrial[];
  /** The newest first, eight at most. */
  readonly refused: readonly RefusedText[];
  /** Edits at most. */
  readonly edits: number;
  /** Tries a text on this round's training tasks. */
  readonly tryOut: (text: string) => Promise<readonly SkillTrial[]>;
  readonly signal?: AbortSignal;
}

/** Edits of the present text, or a whole text; undefined where it has none. */
export interface SkillProposer {
  readonly id: string;
  propose(context: ProposalContext): Promise<readonly SkillEdit[] | string | undefined>;
}

export const GATES = ["proven", "strict", "off"] as const;
export type SkillGate = (typeof GATES)[number];

export interface OptimiseOptions {
  readonly text: string;
  readonly proposer: SkillProposer;
  readonly run: RunTrials;
  /** What proposals are made from. */
  readonly training: readonly Task[];
  /** What the gate asks, and no proposer sees. */
  readonly heldOut: readonly Task[];
  /** Default: 5. */
  readonly rounds?: number;
  /** Edits of a round at most. Default: 4. */
  readonly edits?: number;
  /** Default: proven. */
  readonly gate?: SkillGate;
  /** Nothing more can be run. Default: never. */
  readonly isOver?: () => boolean;
  /** Rounds of earlier nights: they go on counting, so that a week of nights is no more likely to be fooled than one. Default: none. */
  readonly earlier?: readonly OptimisedRound[];
  readonly signal?: AbortSignal;
  readonly onRound?: (round: OptimisedRound) => void;
}

export const OPTIMISE_CHECKS = { rounds: may.count, edits: may.count } as const;

export interface OptimisedRound {
  readonly round: number;
  readonly text: string;
  readonly outcome: "accepted" | "refused" | "nothing proposed";
  readonly why: string;
  /** Of the held-out pairs, over the present text; missing where none was played. */
  readonly lift?: Difference & { readonly pairs: number };
}

const KEPT_REFUSALS = 8;

/** The text after the last round, which is the first where nothing passed. */
export async function optimiseSkill(
  options: OptimiseOptions,
): Promise<{ readonly text: string; readonly rounds: readonly OptimisedRound[] }> {
  checkOptions("optimiseSkill", options, OPTIMISE_CHECKS);
  const {
    proposer,
    run,
    training,
    rounds: most = 5,
    edits = 4,
    isOver = () => false,
    earlier = [],
    onRound,
    signal,
  } = options;
  let { text } = options;
  const refused: RefusedText[] = earlier.filter(({ outcome }) => outcome === "refused").toReversed();
  const rounds: OptimisedRound[] = [];
  for (let round = earlier.length + 1; round <= earlier.length + most && !isOver(); round += 1) {
    const trials = await run(training, text, round);
    const tryOut = async (other: string): Promise<readonly SkillTrial[]> => await run(training, other, round);
    const context = { text, trials, refused: refused.slice(0, KEPT_REFUSALS), edits, tryOut };
    const proposed = await proposer.propose({ ...context, ...(signal === undefined ? {} : { signal }) });
    const candidate =
      typeof proposed === "string" ? proposed.trim() : applyEdits(text, (proposed ?? []).slice(0, edits));
    const seen = await judged(options, candidate, text, round);
    rounds.push(seen);
    onRound?.(seen);
    if (seen.outcome === "accepted") text = candidate;
    if (seen.outcome === "refused") refused.unshift({ text: candidate, why: seen.why });
  }
  return { text, rounds };
}

async function judged(options: OptimiseOptions, text: string, present: string, round: number): Promise<OptimisedRound> {
  if (text === present || text === "") return { round, text: present, outcome: "nothing proposed", why: "no change" };
  const [fault] = faultsOf(text);
  if (fault !== undefined) return { round, text, outcome: "refused", why: fault };
  const { gate = "proven" } = options;
  if (gate === "off") return { round, text, outcome: "accepted", why: "without a gate" };
  const { passed, pairs } = await heldOutPairs(options, text, present, round);
  const lift = { ...differenceOf(pairs), pairs: pairs.better + pairs.worse + pairs.same };
  const why = `${lift.value >= 0 ? "+" : ""}${lift.value.toFixed(3)} over the present text, ${lift.pairs} held-out pairs`;
  return { round, text, outcome: passed ? "accepted" : "refused", why, lift };
}

/** In batches; a candidate that is proven, or proven to be worse, needs no more. */
async function heldOutPairs(
  { heldOut, run, gate = "proven", isOver = () => false }: OptimiseOptions,
  text: string,
  present: string,
  round: number,
) {
  let pairs = NO_PAIRS;
  const level = LEVEL / (round * (round + 1));
  for (let first = 0; first < heldOut.length && !isOver(); first += LOOK_EVERY) {
    const batch = heldOut.slice(first, first + LOOK_EVERY);
    const [after, before] = [await run(batch, text, round), await run(batch, present, round)];
    const found = after.map(({ success }, at): Pair => [success, before[at]?.success ?? null]);
    pairs = countPairs(found, pairs);
    if (gate === "strict") continue;
    if (isAbove(pairs, 0, level)) return { passed: true, pairs };
    if (isBelow(pairs, 0)) break;
  }
  return { passed: gate === "strict" && pairs.better > pairs.worse, pairs };
}
