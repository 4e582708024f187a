/** The screens against gamed rewards, beside every training. */
import { readScore } from "../reward/read-scores.ts";
import { screenRewards, screens, type Finding, type ScreenSettings, type UpdateSummary } from "../reward/index.ts";
import type { Trajectory } from "../trajectory/index.ts";
import type { Settings } from "../update/settings.ts";
import type { OutcomeScorer } from "../walk/judge.ts";

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
  foretold?: ReadonlyMap<string, number>,
): Finding[] {
  if (severity === "off") return [];
  const each = Object.keys(screens).map((name) => {
    const own = rewards?.screens[name] ?? {};
    return [name, own === false ? own : { severity, ...own }] as const;
  });
  const ofParts = Object.entries(rewards?.partScreens ?? {}).flatMap(([part, settings]) =>
    screenPart(trajectories, part, settings, severity),
  );
  return [...screenRewards({ trajectories, history, foretold }, Object.fromEntries(each)), ...ofParts];
}

/**
 * What the scorer of the run says of whole episodes at their end. Only where rewards are not the world's own, which a
 * scorer of outcomes has nothing to add to; what it cannot read, and a scorer that fails, have no opinion.
 */
export async function foretoldOf(
  {
    rewards,
    outcomeScorer,
    settings: { screens: severity },
    signal,
  }: Screened & { readonly outcomeScorer?: OutcomeScorer | undefined; readonly signal?: AbortSignal },
  trajectories: readonly Trajectory[],
): Promise<ReadonlyMap<string, number> | undefined> {
  const isOff = severity === "off" || rewards?.screens["unforetold-reward"] === false;
  if (rewards === undefined || outcomeScorer === undefined || outcomeScorer.ofSteps === true || isOff) return undefined;
  const whole = trajectories.flatMap(({ id, parent, steps, streams }) => {
    const span = steps.at(-1)?.span;
    const ids = parent !== undefined || span === undefined ? undefined : streams[span.stream]?.ids;
    return ids === undefined ? [] : [{ id, context: ids.subarray(0, span?.end) }];
  });
  const said = await outcomeScorer
    .scoreTokens(
      whole.map(({ context }) => context),
      signal,
    )
    .catch((): number[] => []);
  return new Map(whole.flatMap(({ id }, at) => (Number.isFinite(said[at]) ? [[id, said[at] as number] as const] : [])));
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
