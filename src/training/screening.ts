/** The screens against gamed rewards, beside every training. */
import { screenRewards, screens, type Finding, type UpdateSummary } from "../reward/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Settings } from "../update/settings.ts";

/** What the screens find in an update, with the severity that the settings ask for. */
export function screenUpdate(
  severity: Settings["screens"],
  trajectories: readonly Trajectory[],
  history: readonly UpdateSummary[],
): Finding[] {
  if (severity === "off") return [];
  const each = Object.fromEntries(Object.keys(screens).map((name) => [name, { severity }]));
  return screenRewards({ trajectories, history }, each);
}

/** Findings of screens that have not spoken yet: the same warning in every update would drown the rest. */
export function newFindings(findings: readonly Finding[], told: readonly string[]): Finding[] {
  const seen = new Set(told);
  return findings.filter(({ screen }) => {
    if (seen.has(screen)) return false;
    seen.add(screen);
    return true;
  });
}
