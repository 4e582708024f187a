/** The episode skill of one trajectory: the workflow after a success, what to avoid after a failure. */
import { createSkill } from "../create-skill.ts";
import type { Evidence, Skill } from "../skill.ts";
import { findFaults, type Fault } from "./faults.ts";
import type { Move } from "./transitions.ts";
import { avoidanceText, command, workflowText } from "./wording.ts";
import { workflowEvidence, type Workflow } from "./workflow.ts";

export interface EpisodeLimits {
  /** Longest workflow that is told; what follows is left to the reader. */
  readonly maxActions: number;
  /** How many commands of each kind an avoidance rule names beside a workflow, and without one. */
  readonly maxFaults: number;
  readonly maxFaultsAlone: number;
}

/** In one state: what this episode did, and what the best of its siblings did. */
export interface Divergence {
  readonly own: Move;
  readonly sibling: Move;
}

export function workflowSkill(workflow: Workflow, { maxActions }: EpisodeLimits): Skill {
  const moves = workflow.moves.slice(0, maxActions);
  return createSkill("episode", workflowText(moves.map(actionOf)), workflowEvidence({ moves }));
}

/** Undefined where the episode shows nothing to avoid and nobody succeeded. */
export function avoidanceSkill(
  own: readonly Move[],
  workflow: Workflow | undefined,
  divergence: Divergence | undefined,
  limits: EpisodeLimits,
): Skill | undefined {
  const way = workflow?.moves.slice(0, limits.maxActions) ?? [];
  // What belongs to the way to success must not be warned of, whatever it did at another moment.
  const right = new Set(way.map((move) => command(move.step.action)));
  const most = workflow === undefined ? limits.maxFaultsAlone : limits.maxFaults;
  const told = (faults: readonly Fault[], count = most): readonly Fault[] =>
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
