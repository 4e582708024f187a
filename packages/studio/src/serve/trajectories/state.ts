/** What was done from one state in a group, and how it went on. */
import { EngineError } from "limbeck-base/base/errors";
import { mean } from "limbeck-base/base/statistics/summary";
import type { Store } from "limbeck-store/store/store";
import type { StateDecisions } from "../api/trajectory.ts";
import { readGroupCredit } from "./credit.ts";
import type { TrajectoryView } from "./detail.ts";
import { lineOf, readDecisions, readMembers } from "./group-members.ts";
import { clip, longText } from "./long-text.ts";

const MEMBERS = 64;
const STEPS = 2_000;

export async function readState(store: Store, shown: TrajectoryView, step: number): Promise<StateDecisions> {
  const { item, trajectory } = shown;
  const here = trajectory.steps.find(({ index }) => index === step);
  if (here === undefined) {
    throw new EngineError("no-trajectory", `Trajectory "${item.id}" has no step ${step}.`);
  }
  const { run, group, update, phase } = item;
  const { members } = await readMembers(store, { run, group, update, phase }, MEMBERS);
  const decisions = await readDecisions(store, run, members, STEPS);
  const credit = await readGroupCredit(store, { run, group, update, trajectory: item.id });
  const byId = new Map(members.map((member) => [member.id, member]));
  const taken = members.flatMap((member) => {
    const line = lineOf(member.id, byId, decisions);
    return line.flatMap((decision, at) => {
      // A branch shows only its own steps: what it took over stands at its parent.
      if (decision.stateKey !== here.stateKey || decision.trajectory !== member.id) return [];
      const advantages = credit.rows.get(member.id)?.get(decision.step)?.advantages ?? [];
      const next = line[at + 1];
      return [
        {
          trajectory: member.id,
          step: decision.step,
          action: clip(decision.action, 300),
          valid: decision.valid,
          outcome: member.outcome,
          reward: member.reward,
          advantage: advantages.length === 0 ? null : mean(advantages),
          next: next === undefined ? null : longText(next.observation, 400),
        },
      ];
    });
  });
  return { stateKey: here.stateKey, observation: longText(here.observation), decisions: taken };
}
