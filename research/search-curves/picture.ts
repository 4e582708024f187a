/** Success against budget as a picture: one panel a world; some searches in colour, the same everywhere, the others in grey. */
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import type { CurveLine } from "./line.ts";

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [420, 250, 44, 34, 16, 34] as const;
const LEGEND = 150;

interface Stroke {
  readonly colour: string;
  readonly dashes?: string;
}

/** Plain sampling, one of each kind of search, and those that never see an outcome, dashed. */
const SHOWN: Readonly<Record<string, Stroke>> = {
  "best-of-n": { colour: "#111827" },
  mcts: { colour: "#15803d" },
  bavt: { colour: "#c2410c" },
  ets: { colour: "#7e22ce" },
  pdr: { colour: "#1f5fa8" },
  "majority-vote": { colour: "#6b7280", dashes: "6 3" },
  star: { colour: "#b91c1c", dashes: "6 3" },
  weboperator: { colour: "#0e7490", dashes: "6 3" },
};
const OTHER: Stroke = { colour: "#d1d5db" };
const GREEDY: Stroke = { colour: "#111827", dashes: "1 3" };

export function curvesPicture(lines: readonly CurveLine[]): string {
  const worlds = [...new Set(lines.map(({ world }) => world))];
  const columns = Math.min(2, worlds.length);
  const [width, height] = [columns * WIDTH + LEGEND, Math.ceil(worlds.length / columns) * HEIGHT];
  const panels = worlds.map((world, at) => {
    const [x, y] = [(at % columns) * WIDTH, Math.floor(at / columns) * HEIGHT];
    const own = lines.filter((line) => line.world === world);
    return `<g transform="translate(${x} ${y})">${panel(world, own)}</g>`;
  });
  const entries: [string, Stroke][] = [...Object.entries(SHOWN), ["other searches", OTHER], ["greedy", GREEDY]];
  const legend = entries.map(([name, stroke], at) => {
    const y = TOP + 6 + 18 * at;
    const x = columns * WIDTH;
    return `<polyline points="${x},${y} ${x + 24},${y}" ${drawn(stroke, 2)}/><text x="${x + 30}" y="${y + 4}" fill="#374151">${name}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" role="img"><title>Success against search budget; dashed searches never see an outcome</title><rect width="${width}" height="${height}" fill="#fff"/>${panels.join("")}${legend.join("")}</svg>\n`;
}

function panel(world: string, lines: readonly CurveLine[]): string {
  const searched = lines.filter(({ method, points }) => method !== "greedy" && points.length > 0);
  const multiples = [...new Set(searched.flatMap(({ points }) => points.map(({ multiple }) => multiple)))];
  const most = Math.log2(Math.max(2, ...multiples));
  const x = (multiple: number): number => LEFT + (Math.log2(multiple) / most) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#e5e7eb"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end" fill="#4b5563">${100 * value}%</text>`,
  );
  const ticks = multiples.map(
    (multiple) =>
      `<text x="${x(multiple)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#4b5563">×${multiple}</text>`,
  );
  const greedy = lines.find(({ method }) => method === "greedy")?.points[0];
  const level = greedy === undefined ? undefined : y(mean(greedy.solved)).toFixed(1);
  const alone = level === undefined ? "" : `<polyline points="${LEFT},${level} ${WIDTH - RIGHT},${level}" ${drawn(GREEDY, 1.5)}/>`; // prettier-ignore
  // Grey ones first, so that the others lie on top.
  const ordered = searched.toSorted((left, right) => Number(left.method in SHOWN) - Number(right.method in SHOWN));
  const curves = ordered.map(({ method, points }) => {
    const places = points.map(({ multiple, solved }) => `${x(multiple).toFixed(1)},${y(mean(solved)).toFixed(1)}`);
    const stroke = SHOWN[method] ?? OTHER;
    return `<polyline points="${places.join(" ")}" ${drawn(stroke, stroke === OTHER ? 1 : 2)}/>`;
  });
  return `<text x="${LEFT}" y="18" font-weight="600" fill="#111827">${world}</text>${grid.join("")}${ticks.join("")}${alone}${curves.join("")}`;
}

function drawn({ colour, dashes }: Stroke, width: number): string {
  return `fill="none" stroke="${colour}" stroke-width="${width}"${dashes === undefined ? "" : ` stroke-dasharray="${dashes}"`}`;
}
