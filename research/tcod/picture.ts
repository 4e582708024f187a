/** The divergence of every turn over a training, one panel for each arm, as SVG; and the same in figures. */
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { ARMS, type Arm, type Measured } from "./measure.ts";

const CELL = { width: 11, height: 15 };
const LEFT = 46;
const TOP = 58;
const GAP = 34;
/** Nats a token at which the colour is full. */
const FULL = 0.6;

const TITLES: Readonly<Record<Arm, string>> = {
  none: "without a curriculum",
  "front-to-back": "front to back",
  "back-to-front": "back to front",
};

export function picture(all: readonly Measured[]): string {
  const arms = armsOf(all);
  const [updates, turns] = sizeOf(all);
  const panel = LEFT + updates * CELL.width + GAP;
  const width = arms.length * panel + 90;
  const height = TOP + turns * CELL.height + 50;
  const panels = arms.map(({ arm, runs }, at) => panelOf(arm, runs, at * panel, updates, turns));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#222">`,
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    `<text x="${LEFT}" y="20" font-size="14" font-weight="600">Divergence from the teacher by turn (nats a token, mean of ${seedsOf(all)} seeds)</text>`,
    ...panels,
    legend(width - 74, turns),
    "</svg>",
    "",
  ].join("\n");
}

function panelOf(arm: Arm, runs: readonly Measured[], x: number, updates: number, turns: number): string {
  const cells: string[] = [];
  for (let update = 0; update < updates; update += 1) {
    for (let turn = 0; turn < turns; turn += 1) {
      const kl = meanAt(runs, update, turn);
      const [left, top] = [x + LEFT + update * CELL.width, TOP + turn * CELL.height];
      const fill = kl === undefined ? "#f1f1f1" : colourOf(kl);
      cells.push(`<rect x="${left}" y="${top}" width="${CELL.width}" height="${CELL.height}" fill="${fill}"/>`);
    }
  }
  const bottom = TOP + turns * CELL.height;
  const ticks = [1, Math.ceil(updates / 2), updates].map(
    (update) =>
      `<text x="${x + LEFT + (update - 0.5) * CELL.width}" y="${bottom + 15}" text-anchor="middle">${update}</text>`,
  );
  const rows = [1, Math.ceil(turns / 2), turns].map(
    (turn) => `<text x="${x + LEFT - 6}" y="${TOP + turn * CELL.height - 4}" text-anchor="end">${turn}</text>`,
  );
  return [
    `<text x="${x + LEFT}" y="${TOP - 12}" font-weight="600">${TITLES[arm]}</text>`,
    ...cells,
    ...ticks,
    ...rows,
    `<text x="${x + LEFT + (updates * CELL.width) / 2}" y="${bottom + 34}" text-anchor="middle">update</text>`,
    `<text x="${x + 12}" y="${TOP + (turns * CELL.height) / 2}" text-anchor="middle" transform="rotate(-90 ${x + 12} ${TOP + (turns * CELL.height) / 2})">turn</text>`,
  ].join("\n");
}

function legend(x: number, turns: number): string {
  const steps = 24;
  const tall = (turns * CELL.height) / steps;
  const bars = Array.from({ length: steps }, (_, at) => {
    const kl = FULL * (1 - (2 * (at + 0.5)) / steps);
    return `<rect x="${x}" y="${TOP + at * tall}" width="14" height="${tall + 0.5}" fill="${colourOf(kl)}"/>`;
  });
  const label = (kl: number, y: number): string => `<text x="${x + 20}" y="${y + 4}">${kl.toFixed(1)}</text>`;
  const bottom = TOP + turns * CELL.height;
  return [...bars, label(FULL, TOP + 4), label(0, (TOP + bottom) / 2), label(-FULL, bottom - 4)].join("\n");
}

/** White at 0, red above (the teacher finds the words less likely), blue below. */
function colourOf(kl: number): string {
  const share = Math.min(Math.abs(kl) / FULL, 1);
  const faded = Math.round(255 * (1 - share));
  const [full, other] = [Math.round(255 - 60 * share), Math.round(255 - 200 * share)];
  return kl >= 0 ? `rgb(${full},${other},${faded})` : `rgb(${faded},${other},${full})`;
}

/** Means over seeds: of the first and of the last updates, in which every arm plays whole episodes, and success. */
export function table(all: readonly Measured[]): string {
  const rows = armsOf(all).map(({ arm, runs }) => {
    const early = (run: Measured): number => meanOf(run.kl.slice(0, 4));
    const late = (run: Measured): number => meanOf(run.kl.slice(run.whole));
    const ending = (run: Measured): number => meanOf(run.kl.slice(run.whole).map((turns) => turns.slice(5)));
    const cells = [
      TITLES[arm],
      String(runs.length),
      ...[early, late, ending].map((of) => spread(runs.map(of), 3)),
      spread(
        runs.map(({ before }) => before),
        2,
      ),
      spread(
        runs.map(({ after }) => after),
        2,
      ),
      Math.round(mean(runs.map(({ teacherTokens }) => teacherTokens))).toLocaleString("en"),
    ];
    return `| ${cells.join(" | ")} |`;
  });
  return [
    "| curriculum | seeds | KL, updates 1 to 4 | KL, whole episodes at the end | of them turns 6 to 10 | success before | after | teacher's tokens |",
    "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ...rows,
  ].join("\n");
}

/** Mean and the smallest and largest seed. */
function spread(values: readonly number[], digits: number): string {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return `${mean(values).toFixed(digits)} (${low.toFixed(digits)} to ${high.toFixed(digits)})`;
}

function meanOf(updates: readonly (readonly (number | null)[])[]): number {
  return mean(updates.flat().filter((kl) => kl !== null));
}

function meanAt(runs: readonly Measured[], update: number, turn: number): number | undefined {
  const values = runs.map(({ kl }) => kl[update]?.[turn] ?? null).filter((kl) => kl !== null);
  return values.length === 0 ? undefined : mean(values);
}

function armsOf(all: readonly Measured[]): { readonly arm: Arm; readonly runs: readonly Measured[] }[] {
  return ARMS.map((arm) => ({ arm, runs: all.filter((one) => one.arm === arm) })).filter(({ runs }) => runs.length > 0);
}

function sizeOf(all: readonly Measured[]): readonly [number, number] {
  const updates = Math.max(...all.map(({ kl }) => kl.length));
  return [updates, Math.max(...all.flatMap(({ kl }) => kl.map((turns) => turns.length)))];
}

function seedsOf(all: readonly Measured[]): number {
  return new Set(all.map(({ seed }) => seed)).size;
}
