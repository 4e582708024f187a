/**
 * The analyst that needs no model: it writes down what a group of episodes of one task shows by itself. It reads texts,
 * actions, rewards, state keys and whether actions were accepted, and knows nothing of any world.
 */
import type { GivenOptions, OptionTable, OptionValues } from "limbeck-base/base/option-table";
import { groupedBy } from "limbeck-base/base/grouped-by";
import { mean, quantile, sum } from "limbeck-base/base/statistics/summary";
import { option } from "limbeck-base/base/option";
import { resolveOptions } from "limbeck-base/base/options";
import { throwIfAborted } from "limbeck-base/base/errors";
import { groupStates, type StateMatch } from "limbeck-base/trajectory/state-groups";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { createSkill } from "../create-skill.ts";
import type { AnalyseOptions, Analysis, Analyst, Evidence, Skill } from "../skill.ts";
import { labelOutcome } from "../outcome.ts";
import { type FaultyAction, findFaults, leadsBack } from "./faults.ts";
import { stepReturns } from "./returns.ts";
import { type Move, type Moves, readMoves, hasSucceeded } from "./transitions.ts";
import { avoidanceText, command, type Reason, stepAdvice, stepWarning, workflowText } from "./wording.ts";
import { findWorkflow, type Workflow, workflowEvidence } from "./workflow.ts";

const whole = { least: 0, whole: true } as const;

export const statisticsOptions = {
  gamma: option.share(0.95, "discount of step returns"),
  varianceQuantile: option.share(0.75, "states whose variance is below this quantile of all decide nothing"),
  deviation: option.choice("below", ["below", "either"], "only steps worse than their state's mean, or any distance"),
  match: option.choice("exact", ["exact", "normalised", "similar"], "how states are compared"),
  threshold: option.share(0.95, "likeness from which similar states are the same"),
  warnOfWaste: option.flag(false, "whether places that critical steps leave free go to wasted steps of failures"),
  maxActions: option.number(16, "longest workflow that is told; what follows is left to the reader", whole),
  maxFaults: option.number(1, "commands of each kind that an avoidance rule names beside a workflow", whole),
  maxFaultsAlone: option.number(3, "commands of each kind that it names without one", whole),
} satisfies OptionTable;

export type StatisticsOptions = GivenOptions<typeof statisticsOptions>;
type Resolved = OptionValues<typeof statisticsOptions>;

/**
 * The analyst that needs no model: it tells what a group of episodes shows by itself.
 *
 * @example
 * const { trajectories } = await rollout({ env: "household", policy: "expert", tasks: 1, group: 2 });
 * const [analysis] = await createStatisticsAnalyst().analyse(trajectories, { maxStepSkills: 2 });
 * console.log(analysis?.episodeSkill?.text.slice(0, 27)); // This worked: go to toilet 1
 */
export function createStatisticsAnalyst(given: StatisticsOptions = {}): Analyst {
  const options = resolveOptions(statisticsOptions, given, "the statistics analyst");
  return {
    id: "statistics",
    analyse: async (group, analyseOptions) => {
      throwIfAborted(analyseOptions.signal);
      return analyseGroup(group, analyseOptions, options);
    },
  };
}

interface Findings {
  readonly moves: Moves;
  readonly workflow: Workflow | undefined;
  /** By trajectory id, the most critical first. */
  readonly critical: ReadonlyMap<string, readonly Critical[]>;
  readonly limits: EpisodeLimits;
  readonly warnOfWaste: boolean;
}

interface Critical {
  readonly own: Move;
  /** The move with the highest return in the same state that had an effect, when it is higher than the own one's. */
  readonly best: Move | undefined;
}

function analyseGroup(
  group: readonly Trajectory[],
  { maxStepSkills, select = () => true }: AnalyseOptions,
  options: Resolved,
): Analysis[] {
  const moves = readMoves(group);
  const findings: Findings = {
    moves,
    workflow: findWorkflow(group, moves),
    critical: criticalMoves(group, moves, options),
    limits: options,
    warnOfWaste: options.warnOfWaste,
  };
  return group.filter(select).map((trajectory) => {
    const episodeSkill = episodeSkillOf(trajectory, findings);
    return {
      trajectory: trajectory.id,
      outcome: labelOutcome(trajectory),
      episodeSummary: summary(trajectory, group, findings),
      ...(episodeSkill === undefined ? {} : { episodeSkill }),
      stepSkills: stepSkillsOf(trajectory, findings, maxStepSkills),
    };
  });
}

function episodeSkillOf(trajectory: Trajectory, { moves, workflow, critical, limits }: Findings): Skill | undefined {
  if (hasSucceeded(trajectory)) return workflow === undefined ? undefined : workflowSkill(workflow, limits);
  const own = moves.of.get(trajectory.id) ?? [];
  return avoidanceSkill(own, workflow, divergence(critical.get(trajectory.id) ?? [], workflow), limits);
}

/** The most critical step at which a success went another way, by an action that the workflow does without. */
function divergence(critical: readonly Critical[], workflow: Workflow | undefined): Divergence | undefined {
  if (workflow === undefined) return undefined;
  const right = new Set(workflow.moves.map(({ step }) => command(step.action)));
  for (const { own, best } of critical) {
    if (best === undefined || !hasSucceeded(best.trajectory) || !differs(own, best)) continue;
    if (!right.has(command(own.step.action))) return { own, sibling: best };
  }
  return undefined;
}

function stepSkillsOf(trajectory: Trajectory, findings: Findings, most: number): Map<number, Skill> {
  const own = findings.moves.of.get(trajectory.id) ?? [];
  const wasted = findings.warnOfWaste && !hasSucceeded(trajectory) ? own.filter((move) => wasteReason(move, own)) : [];
  // Advice for a state is given once, where the episode first stood in it and did not heed it: an agent that waits ten
  // times in one place must not fill the list with ten equal hints.
  const places = new Map<string, readonly [number, Skill]>();
  const noted = new Set<number>();
  for (const found of [...(findings.critical.get(trajectory.id) ?? []), ...wasted.map(asCritical)]) {
    const { index } = found.own.step;
    const skill = noted.has(index) ? undefined : stepSkill(found, own);
    if (skill === undefined) continue;
    noted.add(index);
    const place = JSON.stringify([found.own.from, skill.text]);
    const [earlier] = places.get(place) ?? [];
    if (earlier === undefined || index < earlier) places.set(place, [index, skill]);
  }
  return new Map([...places.values()].slice(0, Math.max(0, most)));
}

function asCritical(own: Move): Critical {
  return { own, best: undefined };
}

/** What the best did in the same state; where that is no other action, a warning if the step was wasted, or nothing. */
function stepSkill({ own, best }: Critical, moves: readonly Move[]): Skill | undefined {
  const here = { trajectory: own.trajectory.id, steps: [own.step.index] };
  if (best !== undefined && differs(own, best)) {
    const there = { trajectory: best.trajectory.id, steps: [best.step.index] };
    return createSkill("step", stepAdvice(best.step.action), [there, here]);
  }
  const reason = wasteReason(own, moves);
  return reason === undefined ? undefined : createSkill("step", stepWarning(own.step.action, reason), [here]);
}

function wasteReason(own: Move, moves: readonly Move[]): Reason | undefined {
  if (own.wasted !== undefined) return own.wasted;
  return leadsBack(moves, moves.indexOf(own)) ? "leadsBack" : undefined;
}

function differs(own: Move, best: Move): boolean {
  return command(own.step.action) !== command(best.step.action) && command(best.step.action) !== "";
}

function criticalMoves(
  group: readonly Trajectory[],
  moves: Moves,
  options: Resolved,
): Map<string, readonly Critical[]> {
  const rows: (CriticalRow & { readonly move: Move })[] = group.flatMap((trajectory) => {
    const returns = stepReturns(trajectory, options.gamma);
    const own = moves.of.get(trajectory.id) ?? [];
    return own
      .map((move, at) => ({
        group: trajectory.group,
        state: move.from,
        trajectory: trajectory.id,
        step: move.step.index,
        return: returns?.[at] ?? 0,
        move,
      }))
      .filter(() => returns !== undefined);
  });
  const critical = new Map<string, Critical[]>();
  for (const { row, peers } of rankCriticalSteps(rows, { ...options, perTrajectory: Number.POSITIVE_INFINITY })) {
    const own = rows[row] as (typeof rows)[number];
    let best: (typeof rows)[number] | undefined;
    for (const peer of peers.map((at) => rows[at] as (typeof rows)[number])) {
      if (peer.move.wasted === undefined && peer.return > (best?.return ?? own.return)) best = peer;
    }
    const found = critical.get(own.trajectory) ?? [];
    found.push({ own: own.move, best: best?.move });
    critical.set(own.trajectory, found);
  }
  return critical;
}

function summary(trajectory: Trajectory, group: readonly Trajectory[], { moves, workflow }: Findings): string {
  const own = moves.of.get(trajectory.id) ?? [];
  const count = (waste: Move["wasted"]): number => own.filter(({ wasted }) => wasted === waste).length;
  const solved = group.filter(hasSucceeded).length;
  const shortest = workflow === undefined ? "" : ` The shortest way known takes ${workflow.moves.length}.`;
  return `${own.length} steps, ${count("refused")} refused, ${count("useless")} without effect; ${solved} of ${group.length} episodes succeeded.${shortest}`;
}

// Critical steps by the returns of steps that stood in the same state (methods: the selector by statistics). A state
// where returns differ much is one where something was decided; a step there with a return below the mean decided it
// badly.

export interface CriticalRow {
  /** Rows of different groups never share a state. */
  readonly group: string;
  readonly state: string;
  readonly trajectory: string;
  /** `Step.index`. */
  readonly step: number;
  readonly return: number;
}

interface CriticalOptions {
  /** At most so many per trajectory. Default: 1. */
  readonly perTrajectory?: number;
  /** States whose variance is below this quantile of all variances decide nothing. Default: 0.75. */
  readonly varianceQuantile?: number;
  /** "below": only steps that did worse than their state's mean; "either": any distance, 0 included. */
  readonly deviation?: "below" | "either";
  /** How states are compared. Default: "exact". */
  readonly match?: StateMatch;
  /** Of "similar". Default: 0.95. */
  readonly threshold?: number;
}

interface CriticalStep {
  /** Position among the rows. */
  readonly row: number;
  readonly score: number;
  /** Rows in the same state, itself included. */
  readonly peers: readonly number[];
}

/** Keeps a step at the very mean from scoring exactly nothing. */
const LEAST_DEVIATION = 1e-6;

/** True for the rows that were selected. */
export function selectCriticalByStats(rows: readonly CriticalRow[], options: CriticalOptions = {}): boolean[] {
  const chosen = new Set(rankCriticalSteps(rows, options).map(({ row }) => row));
  return rows.map((_, row) => chosen.has(row));
}

/** The selected rows, trajectory after trajectory, the highest score first; of equal scores the later step. */
export function rankCriticalSteps(rows: readonly CriticalRow[], options: CriticalOptions = {}): CriticalStep[] {
  const { perTrajectory = 1 } = options;
  const byTrajectory = groupedBy(candidates(rows, options), ({ row }) => {
    const { trajectory, group } = rows[row] as CriticalRow;
    return JSON.stringify([group, trajectory]);
  });
  const stepOf = ({ row }: CriticalStep): number => (rows[row] as CriticalRow).step;
  return [...byTrajectory.values()].flatMap((steps) =>
    steps
      .sort((left, right) => right.score - left.score || stepOf(right) - stepOf(left))
      .slice(0, Math.max(0, perTrajectory)),
  );
}

function candidates(rows: readonly CriticalRow[], options: CriticalOptions): CriticalStep[] {
  const { varianceQuantile = 0.75, deviation = "below", match = "exact", threshold = 0.95 } = options;
  const states = groupStates(
    rows.map(({ state }) => state),
    { match, threshold, within: rows.map(({ group }) => group) },
  );
  const members = Array.from({ length: states.count }, (): number[] => []);
  states.of.forEach((state, row) => members[state]?.push(row));
  const spreads = members.map((peers) => spread(peers.map((row) => (rows[row] as CriticalRow).return)));
  const eligible = spreads.filter((_, state) => (members[state] as number[]).length >= 2);
  const cutoff =
    eligible.length === 0
      ? Infinity
      : quantile(
          eligible.map(({ variance }) => variance),
          varianceQuantile,
        );
  return rows.flatMap((row, at) => {
    const state = states.of[at] as number;
    const peers = members[state] as number[];
    const { centre, variance } = spreads[state] as Spread;
    const below = Math.max(centre - row.return, 0);
    const distance = deviation === "below" ? below : Math.abs(row.return - centre);
    const counts = deviation === "below" ? distance > 0 : true;
    if (peers.length < 2 || variance < cutoff || variance <= 0 || !counts) return [];
    return [{ row: at, score: variance * (distance + LEAST_DEVIATION), peers }];
  });
}

interface Spread {
  readonly centre: number;
  readonly variance: number;
}

/**
 * Of equal returns the variance is exactly 0: rounding in the mean must not make a state of equal returns look as if
 * something was decided there.
 */
function spread(returns: readonly number[]): Spread {
  const [first = 0] = returns;
  if (returns.every((value) => value === first)) return { centre: first, variance: 0 };
  const centre = mean(returns);
  return { centre, variance: sum(returns.map((value) => (value - centre) ** 2)) / returns.length };
}

// The episode skill of one trajectory: the workflow after a success, what to avoid after a failure.

interface EpisodeLimits {
  /** Longest workflow that is written out; what follows is left to the reader. */
  readonly maxActions: number;
  /** How many commands of each kind an avoidance rule names beside a workflow, and without one. */
  readonly maxFaults: number;
  readonly maxFaultsAlone: number;
}

/** In one state: what this episode did, and what the best of its siblings did. */
interface Divergence {
  readonly own: Move;
  readonly sibling: Move;
}

function workflowSkill(workflow: Workflow, { maxActions }: EpisodeLimits): Skill {
  const moves = workflow.moves.slice(0, maxActions);
  return createSkill("episode", workflowText(moves.map(actionOf)), workflowEvidence({ moves }));
}

/** Undefined where the episode shows nothing to avoid and no episode succeeded. */
function avoidanceSkill(
  own: readonly Move[],
  workflow: Workflow | undefined,
  divergence: Divergence | undefined,
  limits: EpisodeLimits,
): Skill | undefined {
  const way = workflow?.moves.slice(0, limits.maxActions) ?? [];
  // What belongs to the way to success must not be warned of, whatever it did at another moment.
  const right = new Set(way.map((move) => command(move.step.action)));
  const most = workflow === undefined ? limits.maxFaultsAlone : limits.maxFaults;
  const told = (faults: readonly FaultyAction[], count = most): readonly FaultyAction[] =>
    faults.filter(({ action }) => !right.has(action) && !divergesBy(divergence, action)).slice(0, count);
  const found = findFaults(own);
  const kinds = {
    refused: told(found.refused),
    useless: told(found.useless),
    leadsBack: told(found.leadsBack),
    repeated: told(found.repeated),
    // Beside a way that works, what was tried in vain is not worth its tokens.
    tried: workflow === undefined ? told(found.tried, 2 * most) : [],
  };
  const text = avoidanceText({
    ...Object.fromEntries(Object.entries(kinds).map(([kind, faults]) => [kind, faults.map(({ action }) => action)])),
    ...(divergence === undefined
      ? {}
      : { instead: { did: actionOf(divergence.own), sibling: actionOf(divergence.sibling) } }),
    workflow: way.map(actionOf),
  });
  if (text === "") return undefined;
  const ownSteps = [
    ...Object.values(kinds).flatMap((faults) => faults.flatMap(({ steps }) => steps)),
    ...(divergence === undefined ? [] : [divergence.own.step.index]),
  ];
  return createSkill("episode", text, [
    ...evidenceOf(own[0]?.trajectory.id, ownSteps),
    ...evidenceOf(divergence?.sibling.trajectory.id, divergence === undefined ? [] : [divergence.sibling.step.index]),
    ...workflowEvidence({ moves: way }),
  ]);
}

function evidenceOf(trajectory: string | undefined, steps: readonly number[]): Evidence[] {
  if (trajectory === undefined || steps.length === 0) return [];
  return [{ trajectory, steps: [...new Set(steps)].sort((left, right) => left - right) }];
}

function divergesBy(divergence: Divergence | undefined, action: string): boolean {
  return divergence !== undefined && command(divergence.own.step.action) === action;
}

function actionOf({ step }: Move): string {
  return step.action;
}
