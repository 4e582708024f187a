/** The distillation family in figures: one row an arm, and which differences from the baseline are more than chance. */
import { accountNames, comparisonWords, withSign } from "../../packages/training/src/arena/words.ts";
import { rankArms, type AccountSummary, type ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import type { Comparison } from "../../packages/training/src/arena/decide.ts";
import type { RunResult } from "../../packages/training/src/arena/results.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { shownEstimate } from "../shown.ts";
import { distillationFamily } from "./distillation.ts";

const HEADINGS = [
  "arm",
  "knows",
  "seeds",
  "area, equal steps",
  "difference to `grpo`",
  "p",
  "end",
  "test tasks",
  "entropy, first and last updates",
  "with a skill / without",
  "updates",
  "tokens through models",
];

/** Updates at either end over which the entropy is averaged; single ones are noisy. */
const ENDS = 3;

export function familyTable(summary: ArenaSummary): string {
  const [primary] = summary.accounts;
  if (primary === undefined) return "No run is finished yet.";
  const rows = rankArms(primary)
    .filter(({ area }) => area.seeds > 0)
    .map(({ name, area, end }) => {
      const own = summary.arms.find((arm) => arm.name === name);
      const against = comparisonOf(primary, name);
      const { updates = 0, tokens = 0, modelTokens = 0 } = own?.cost ?? {};
      const [first, last] = entropyEnds(summary.runs.filter(({ arm, finished }) => arm === name && finished));
      const kept = own?.retention;
      return [
        `\`${name}\``,
        distillationFamily[name]?.knows ?? "",
        String(area.seeds),
        shownEstimate(area),
        against === undefined ? "" : difference(against),
        against === undefined ? "" : pWords(against.adjustedP),
        shownEstimate(end),
        own?.final === undefined ? "" : shownEstimate(own.final),
        `${first.toFixed(2)} → ${last.toFixed(2)}`,
        kept === undefined ? "" : `${kept.withSkill.toFixed(2)} / ${kept.withoutSkill.toFixed(2)}`,
        updates.toFixed(1),
        `${Math.round((tokens + modelTokens) / 1_000)}k`,
      ];
    });
  const rules = HEADINGS.map((_, at) => (at === 2 || at === 5 || at > 9 ? "---:" : "---"));
  return [HEADINGS, rules, ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** In every account and for the held-out tasks: what stands after the correction. */
export function separatedWords({ accounts, final }: ArenaSummary): string[] {
  const told = (what: string, comparisons: readonly Comparison[]): string[] =>
    comparisons.filter(({ better }) => better !== null).map((one) => `${what}: ${comparisonWords(one)}`);
  return [
    ...accounts.flatMap(({ account, area }) => told(`area at equal ${accountNames[account]}`, area.comparisons)),
    ...told("test tasks", final?.comparisons ?? []),
  ];
}

export function comparisonOf({ area }: AccountSummary, name: string): Comparison | undefined {
  return area.comparisons.find(({ left }) => left === name);
}

/** Mean surprise of a sampled token, in nats, over the first and the last updates of all runs. */
function entropyEnds(runs: readonly RunResult[]): readonly [number, number] {
  const over = (part: (run: RunResult) => RunResult["updates"]): number =>
    mean(runs.flatMap((run) => part(run).map(({ entropy }) => entropy)).filter(Number.isFinite));
  return [over(({ updates }) => updates.slice(0, ENDS)), over(({ updates }) => updates.slice(-ENDS))];
}

function difference({ difference: value, interval: { low, high } }: Comparison): string {
  const text = `${withSign(value)} [${withSign(low)}, ${withSign(high)}]`;
  return low > 0 || high < 0 ? `**${text}**` : text;
}

function pWords(p: number): string {
  return p < 0.001 ? "<0.001" : p.toFixed(3);
}
