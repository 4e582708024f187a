/** Success against budget as a picture: one panel a world, the best searches in colour, the others in grey. */
import type { CurveLine } from "./line.ts";
import { share } from "./page.ts";

const [WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM] = [420, 260, 44, 34, 118, 34] as const;
const COLOURS = ["#1f5fa8", "#c2410c", "#15803d", "#7e22ce", "#b91c1c", "#0e7490"] as const;

export function curvesPicture(lines: readonly CurveLine[]): string {
  const worlds = [...new Set(lines.map(({ world }) => world))];
  const columns = Math.min(2, worlds.length);
  const [width, height] = [columns * WIDTH, Math.ceil(worlds.length / columns) * HEIGHT];
  const panels = worlds.map((world, at) => {
    const [x, y] = [(at % columns) * WIDTH, Math.floor(at / columns) * HEIGHT];
    return `<g transform="translate(${x} ${y})">${panel(world, lines.filter((line) => line.world === world))}</g>`; // prettier-ignore
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="11" role="img"><title>Success against search budget</title><rect width="${width}" height="${height}" fill="#fff"/>${panels.join("")}</svg>\n`;
}

function panel(world: string, lines: readonly CurveLine[]): string {
  const searched = lines.filter(({ method, points }) => method !== "plain" && points.length > 0);
  const multiples = [...new Set(searched.flatMap(({ points }) => points.map(({ multiple }) => multiple)))];
  const most = Math.log2(Math.max(2, ...multiples));
  const x = (multiple: number): number => LEFT + (Math.log2(multiple) / most) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => TOP + (1 - value) * (HEIGHT - TOP - BOTTOM);
  const ranked = searched.toSorted((left, right) => area(right) - area(left));
  const grid = [0, 0.25, 0.5, 0.75, 1].map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#e5e7eb"/><text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end" fill="#4b5563">${100 * value}%</text>`,
  );
  const ticks = multiples.map(
    (multiple) =>
      `<text x="${x(multiple)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle" fill="#4b5563">×${multiple}</text>`,
  );
  const curves = ranked.map((line, rank) => {
    const colour = COLOURS[rank] ?? "#d1d5db";
    const path = line.points.map((point) => `${x(point.multiple).toFixed(1)},${y(share(point)).toFixed(1)}`).join(" ");
    return `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="${rank < COLOURS.length ? 2 : 1}"/>`;
  });
  const labels = ranked
    .slice(0, COLOURS.length)
    .map(
      (line, rank) =>
        `<text x="${WIDTH - RIGHT + 8}" y="${TOP + 6 + 15 * rank}" fill="${COLOURS[rank]}">${line.method}</text>`,
    );
  // Grey ones first, so that the best lie on top.
  return `<text x="${LEFT}" y="18" font-weight="600" fill="#111827">${world}</text>${grid.join("")}${ticks.join("")}${curves.reverse().join("")}${labels.join("")}`;
}

function area({ points }: CurveLine): number {
  return points.reduce((total, point) => total + share(point), 0) / Math.max(1, points.length);
}
