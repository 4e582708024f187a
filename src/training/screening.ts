/** The screens against gamed rewards, beside every training. */
import { screenRewards, screens, type Finding, type ScreenSettings, type UpdateSummary } from "../reward/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Settings } from "../update/settings.ts";

interface Screened {
  readonly settings: Pick<Settings, "screens">;
  /** Options of single screens, with the rewards of the run. */
  readonly rewards?: { readonly screens: ScreenSettings };
}

/** What the screens find in an update, with the severity that the settings ask for. */
export function screenUpdate(
  { settings: { screens: severity }, rewards }: Screened,
  trajectories: readonly Trajectory[],
  history: readonly UpdateSummary[],
): Finding[] {
  if (severity === "off") return [];
  const each = Object.keys(screens).map((name) => {
    const own = rewards?.screens[name] ?? {};
    return [name, own === false ? own : { severity, ...own }] as const;
  });
  return screenRewards({ trajectories, history }, Object.fromEntries(each));
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
