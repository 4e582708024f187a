/** The screens against gamed rewards, beside every training. */
import { readScore } from "../reward/read-scores.ts";
import { screenRewards, screens, type Finding, type ScreenSettings, type UpdateSummary } from "../reward/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Settings } from "../update/settings.ts";

interface Screened {
  readonly settings: Pick<Settings, "screens">;
  /** Options of single screens, with the rewards of the run. */
  readonly rewards?: {
    readonly screens: ScreenSettings;
    readonly partScreens?: Readonly<Record<string, ScreenSettings>>;
  };
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
  const ofParts = Object.entries(rewards?.partScreens ?? {}).flatMap(([part, settings]) =>
    screenPart(trajectories, part, settings, severity),
  );
  return [...screenRewards({ trajectories, history }, Object.fromEntries(each)), ...ofParts];
}

/** The screens that are named for one reward, as if it alone were trained on. */
function screenPart(
  trajectories: readonly Trajectory[],
  part: string,
  settings: ScreenSettings,
  severity: string,
): Finding[] {
  const alone = trajectories.map((own): Trajectory => ({ ...own, reward: readScore(own, part) }));
  const each = Object.keys(screens).map((name) => {
    const own = settings[name] ?? false;
    return [name, own === false ? own : { severity, ...own }] as const;
  });
  return screenRewards({ trajectories: alone }, Object.fromEntries(each)).map((finding) => ({
    ...finding,
    screen: `${finding.screen} of ${part}`,
  }));
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
