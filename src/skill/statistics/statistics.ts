/**
 * The analyst that needs no model: it writes down what a group of episodes of one task shows by itself. It reads texts,
 * actions, rewards, state keys and whether actions were accepted, and knows nothing of any world.
 */
import {
  option,
  resolveOptions,
  throwIfAborted,
  type GivenOptions,
  type OptionTable,
  type OptionValues,
} from "../../base/index.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import { createSkill } from "../create-skill.ts";
import { labelOutcome } from "../outcome.ts";
import type { AnalyseOptions, Analysis, Analyst, Skill } from "../skill.ts";
import { rankCriticalSteps, type CriticalRow } from "./critical-steps.ts";
import { avoidanceSkill, workflowSkill, type Divergence, type EpisodeLimits } from "./episode-skill.ts";
import { leadsBack } from "./faults.ts";
import { stepReturns } from "./returns.ts";
import { readMoves, succeeded, type Move, type Moves } from "./transitions.ts";
import { command, stepAdvice, stepWarning, type Reason } from "./wording.ts";
import { findWorkflow, type Workflow } from "./workflow.ts";

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
  if (succeeded(trajectory)) return workflow === undefined ? undefined : workflowSkill(workflow, limits);
  const own = moves.of.get(trajectory.id) ?? [];
  return avoidanceSkill(own, workflow, divergence(critical.get(trajectory.id) ?? [], workflow), limits);
}

/** The most critical step at which a success went another way, by an action that the workflow does without. */
function divergence(critical: readonly Critical[], workflow: Workflow | undefined): Divergence | undefined {
  if (workflow === undefined) return undefined;
  const right = new Set(workflow.moves.map(({ step }) => command(step.action)));
  for (const { own, best } of critical) {
    if (best === undefined || !succeeded(best.trajectory) || !differs(own, best)) continue;
    if (!right.has(command(own.step.action))) return { own, sibling: best };
  }
  return undefined;
}

function stepSkillsOf(trajectory: Trajectory, findings: Findings, most: number): Map<number, Skill> {
  const own = findings.moves.of.get(trajectory.id) ?? [];
  const wasted = findings.warnOfWaste && !succeeded(trajectory) ? own.filter((move) => wasteReason(move, own)) : [];
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
  const solved = group.filter(succeeded).length;
  const shortest = workflow === undefined ? "" : ` The shortest way known takes ${workflow.moves.length}.`;
  return `${own.length} steps, ${count("refused")} refused, ${count("useless")} without effect; ${solved} of ${group.length} episodes succeeded.${shortest}`;
}
