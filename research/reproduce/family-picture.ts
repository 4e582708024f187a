/** Pictures of the distillation family: every arm's difference from the baseline, and entropy over the training. */
import { rankArms, type ArenaSummary } from "../../packages/training/src/arena/summary.ts";
import type { RunResult } from "../../packages/training/src/arena/results.ts";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { distillationFamily, type Knowledge } from "./distillation.ts";
import { comparisonOf } from "./family-table.ts";

const COLOURS: Readonly<Record<Knowledge, string>> = { outcomes: "#4c6a92", hindsight: "#b5542b", expert: "#3f7d4e" };
const WORDS: Readonly<Record<Knowledge, string>> = {
  outcomes: "outcomes only",
  hindsight: "a hindsight skill or feedback",
  expert: "the demonstrator",
};
const ROW = 20;
const LEFT = 150;
const WIDE = 520;
const TOP = 70;

/** One line an arm: the mean of the paired differences and its 95% interval, filled where it stands after the correction. */
export function differencePicture(summary: ArenaSummary): string {
  const [primary] = summary.accounts;
  if (primary === undefined) return svg(LEFT, TOP, []);
  const lines = rankArms(primary).flatMap(({ name }) => {
    const one = comparisonOf(primary, name);
    return one === undefined || one.pairs < 2 ? [] : [{ name, one }];
  });
  const bounds = lines.flatMap(({ one }) => [one.interval.low, one.interval.high, 0]).filter(Number.isFinite);
  const [least, most] = [Math.min(...bounds, -0.05), Math.max(...bounds, 0.05)];
  const at = (value: number): number => LEFT + (WIDE * (value - least)) / (most - least);
  const bottom = TOP + lines.length * ROW;
  const ticks = ticksOf(least, most).map(
    (value) =>
      `<line x1="${at(value)}" x2="${at(value)}" y1="${TOP - 6}" y2="${bottom}" stroke="${value === 0 ? "#888" : "#e5e5e5"}"/><text x="${at(value)}" y="${bottom + 16}" text-anchor="middle">${value.toFixed(1)}</text>`,
  );
  const marks = lines.map(({ name, one }, row) => {
    const [y, colour] = [TOP + (row + 0.5) * ROW, colourOf(name)];
    const { low, high } = one.interval;
    const fill = one.better === null ? "#fff" : colour;
    return `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${name}</text><line x1="${at(low)}" x2="${at(high)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="2"/><circle cx="${at(one.difference)}" cy="${y}" r="4.5" fill="${fill}" stroke="${colour}" stroke-width="2"/>`;
  });
  const title = `Area under the curve less GRPO's: ${summary.plan.env}, paired over ${summary.plan.seeds.length} seeds, 95%`;
  return svg(LEFT + WIDE + 30, bottom + 40, [heading(title), legend(), ...ticks, ...marks]);
}

const PANEL = { width: 150, height: 84, gap: 34, columns: 4 };

/** A small panel an arm, by the share of the budget that was spent; the baseline in grey behind each. */
export function entropyPicture({ plan, runs }: ArenaSummary): string {
  const over = runs.filter(({ finished, updates }) => finished && updates.length > 0);
  const names = plan.arms.map(({ name }) => name).filter((name) => over.some(({ arm }) => arm === name));
  const curves = new Map(
    names.map((name) => [
      name,
      entropyCurve(
        over.filter(({ arm }) => arm === name),
        plan.budget.amount,
      ),
    ]),
  );
  const most = Math.max(0.1, ...[...curves.values()].flat());
  const panels = names.map((name, place) => {
    const [column, row] = [place % PANEL.columns, Math.floor(place / PANEL.columns)];
    const [x, y] = [40 + column * (PANEL.width + PANEL.gap), TOP + 16 + row * (PANEL.height + PANEL.gap)];
    const path = (values: readonly number[]): string =>
      values
        .map((value, at) => {
          const across = values.length === 1 ? 0 : (at / (values.length - 1)) * PANEL.width;
          return `${(x + across).toFixed(1)},${(y + PANEL.height * (1 - value / most)).toFixed(1)}`;
        })
        .join(" ");
    const scale = column === 0 ? `<text x="${x - 6}" y="${y + 8}" text-anchor="end">${most.toFixed(1)}</text>` : "";
    return `<rect x="${x}" y="${y}" width="${PANEL.width}" height="${PANEL.height}" fill="none" stroke="#ddd"/><text x="${x}" y="${y - 5}" fill="${colourOf(name)}" font-weight="600">${name}</text>${scale}<polyline points="${path(curves.get(plan.baseline ?? "") ?? [])}" fill="none" stroke="#bbb" stroke-width="1.5"/><polyline points="${path(curves.get(name) ?? [])}" fill="none" stroke="${colourOf(name)}" stroke-width="2"/>`;
  });
  const rows = Math.ceil(names.length / PANEL.columns);
  const title = `Entropy (nats a token) over the budget: ${plan.env}, means over seeds; grey: GRPO`;
  const width = 40 + PANEL.columns * (PANEL.width + PANEL.gap);
  return svg(width, TOP + 16 + rows * (PANEL.height + PANEL.gap), [heading(title), legend(), ...panels]);
}

const PLACES = 20;

/** The mean over runs of the last update before each twentieth of the budget. */
function entropyCurve(runs: readonly RunResult[], budget: number): number[] {
  return Array.from({ length: PLACES + 1 }, (_, place) => {
    const spent = (budget * place) / PLACES;
    const values = runs.flatMap(({ updates }) => {
      const line = updates.findLast(({ environmentSteps }) => environmentSteps <= spent) ?? updates[0];
      return line === undefined || !Number.isFinite(line.entropy) ? [] : [line.entropy];
    });
    return values.length === 0 ? 0 : mean(values);
  });
}

function colourOf(name: string): string {
  return COLOURS[distillationFamily[name]?.knows ?? "outcomes"];
}

function ticksOf(least: number, most: number): number[] {
  const first = Math.ceil(least * 10);
  return Array.from({ length: Math.floor(most * 10) - first + 1 }, (_, at) => (first + at) / 10);
}

function heading(text: string): string {
  return `<text x="16" y="22" font-size="14" font-weight="600">${text}</text>`;
}

function legend(): string {
  return (Object.keys(COLOURS) as Knowledge[])
    .map(
      (name, at) =>
        `<circle cx="${24 + at * 200}" cy="40" r="5" fill="${COLOURS[name]}"/><text x="${34 + at * 200}" y="44">${WORDS[name]}</text>`,
    )
    .join("");
}

function svg(width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
