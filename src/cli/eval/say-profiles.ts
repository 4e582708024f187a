/** Profiles of one or two policies as tables or as JSON. */
import type { Estimate, Profile } from "../../eval/index.ts";
import { lostWords } from "../../trajectory/tally.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { printTable, right } from "../look/table.ts";
import { formatCount, formatRate, plural } from "../look/units.ts";
import type { FigurePlace } from "../rollout/given-world.ts";
import { percent } from "./words.ts";

export type Side = "policy" | "against";

interface NamedProfile {
  readonly side: Side;
  readonly name: string;
  readonly profile: Profile;
  /** Episodes that were asked for. Default: those that there are. */
  readonly asked?: number;
}

interface Told {
  /** The scripted agent whose steps are the measure. */
  readonly reference?: string | undefined;
  /** What was played; a stored run names its own. */
  readonly place?: FigurePlace;
}

export function sayProfiles(
  invocation: Invocation,
  profiles: readonly NamedProfile[],
  { reference, place }: Told = {},
): void {
  if (invocation.json) {
    for (const { side, name, profile, asked = profile.episodes } of profiles) {
      invocation.printJson({ event: "policy", side, name, ...place, ...profile, asked });
    }
    return;
  }
  const rows = profileRows(
    profiles.map(({ profile }) => profile),
    reference,
  );
  const columns = ["", ...profiles.map(({ name }) => name)].map((title) => ({ title }));
  printTable(invocation, columns, rows);
  for (const { name, profile, asked = profile.episodes } of profiles) {
    if (profile.episodes === asked) continue;
    const seen = `${formatCount(profile.episodes)} of ${plural(asked, "episode")} of ${cleanLine(name)}`;
    invocation.print(
      `${invocation.style.yellow("!")} ${seen} were over within the budget; the others are in no figure.`,
    );
  }
  for (const { name, profile } of profiles) {
    if (profile.families.length === 0) continue;
    invocation.print();
    const heads = [profiles.length === 1 ? "family" : `family (${name})`, "tasks", "success", "steps"];
    const family = profile.families.map((one) => [
      one.family,
      formatCount(one.tasks),
      formatRate({ value: one.success.mean, low: one.success.low, high: one.success.high }),
      one.meanSteps.toFixed(1),
    ]);
    const [first = "", ...numbers] = heads;
    printTable(invocation, [first, ...numbers.map(right)], family);
  }
  invocation.print();
}

/** Rows that say nothing (no losses, no tokens, no reference) are left out. */
function profileRows(profiles: readonly Profile[], reference: string | undefined): string[][] {
  const row = (name: string, cell: (profile: Profile) => string | null): string[][] => {
    const cells = profiles.map(cell);
    return cells.every((text) => text === null) ? [] : [[name, ...cells.map((text) => text ?? "–")]];
  };
  const estimate = (value: Estimate | null): string | null =>
    value === null ? null : formatRate({ value: value.mean, low: value.low, high: value.high });
  const passes = profiles[0]?.passAtK.filter(({ k }) => k > 1) ?? [];
  const number = (value: number | null): string | null => value?.toFixed(1) ?? null;
  const least = reference ?? "reference";
  return [
    ...row("success", ({ success }) => (Number.isNaN(success.mean) ? "no figure" : estimate(success))),
    ...row("solved", ({ solved, episodes, failed, tasks }) =>
      failed === 0
        ? `${solved} of ${episodes} on ${plural(tasks, "task")}`
        : `${solved} of ${episodes - failed} seen of ${episodes} on ${plural(tasks, "task")}`,
    ),
    ...passes.flatMap(({ k }) =>
      row(`pass@${k}`, ({ passAtK }) => estimate(passAtK.find((one) => one.k === k) ?? null)),
    ),
    ...row("steps", ({ meanSteps }) => meanSteps.toFixed(1)),
    ...row("steps when solved", ({ meanStepsSolved: steps }) => (Number.isNaN(steps) ? null : steps.toFixed(1))),
    ...row("refused actions", ({ invalid }) => percent(invalid)),
    ...row(`steps to ${least}'s`, ({ efficiency: { stepsToReference: ratio } }) => ratio && timesWords(ratio)),
    ...row("weighted success", ({ efficiency }) => estimate(efficiency.weightedSuccess)),
    ...row("steps per success", ({ efficiency }) => number(efficiency.stepsPerSuccess)),
    ...row("tokens per success", ({ efficiency: { tokensPerSuccess, tokensPerEpisode } }) =>
      tokensPerEpisode === 0 ? null : number(tokensPerSuccess),
    ),
    ...row("tokens per episode", ({ efficiency: { tokensPerEpisode: tokens } }) =>
      tokens === 0 ? null : number(tokens),
    ),
    ...row("seconds per episode", ({ efficiency: { secondsPerEpisode: seconds } }) => seconds?.toFixed(3) ?? null),
    ...row("lost", ({ failed: lost, causes }) => (lost === 0 ? null : cleanLine(lostWords({ lost, causes })))),
    ...row("not judged", ({ unjudged }) => (unjudged === 0 ? null : formatCount(unjudged))),
  ];
}

/** "×1.42  (1.26 to 1.57)"; one episode has no interval. */
function timesWords({ mean, low, high }: Estimate): string {
  return Number.isFinite(low)
    ? `×${mean.toFixed(2)}  (${low.toFixed(2)} to ${high.toFixed(2)})`
    : `×${mean.toFixed(2)}`;
}
