/** Two texts as the lines that leave and come, with a few around them. */

export interface DiffLine {
  readonly kind: "same" | "gone" | "new" | "cut";
  readonly text: string;
}

const AROUND = 2;
/** Beyond this many lines each way the middle is shown as replaced; the files here are short. */
const MOST_LINES = 2_000;

export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let head = 0;
  while (head < old.length && head < fresh.length && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < fresh.length - head &&
    old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]
  ) {
    tail += 1;
  }
  const same = (text: string): DiffLine => ({ kind: "same", text });
  const middle = between(old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail));
  return shortened([...old.slice(0, head).map(same), ...middle, ...old.slice(old.length - tail).map(same)]);
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

/** By the longest common subsequence. */
function between(old: readonly string[], fresh: readonly string[]): DiffLine[] {
  const gone = old.map((text): DiffLine => ({ kind: "gone", text }));
  const come = fresh.map((text): DiffLine => ({ kind: "new", text }));
  if (old.length === 0 || fresh.length === 0 || old.length > MOST_LINES || fresh.length > MOST_LINES)
    return [...gone, ...come];
  const width = fresh.length + 1;
  const length = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => length[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row -= 1) {
    for (let column = fresh.length - 1; column >= 0; column -= 1) {
      length[row * width + column] =
        old[row] === fresh[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let [row, column] = [0, 0];
  while (row < old.length && column < fresh.length) {
    if (old[row] === fresh[column]) {
      lines.push({ kind: "same", text: old[row] ?? "" });
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) lines.push(gone[row++] as DiffLine);
    else lines.push(come[column++] as DiffLine);
  }
  return [...lines, ...gone.slice(row), ...come.slice(column)];
}

/** Long stretches without a change become one line. */
function shortened(lines: readonly DiffLine[]): DiffLine[] {
  const near = new Set<number>();
  for (const [at, { kind }] of lines.entries()) {
    if (kind === "same") continue;
    for (let one = at - AROUND; one <= at + AROUND; one += 1) near.add(one);
  }
  const kept: DiffLine[] = [];
  for (const [at, line] of lines.entries()) {
    if (near.has(at)) kept.push(line);
    else if (kept.at(-1)?.kind !== "cut") kept.push({ kind: "cut", text: "" });
  }
  return kept;
}

const MARKS = { same: " ", gone: "-", new: "+", cut: "…" } as const;

/** Each line with its mark. */
export function diffText(before: string | undefined, after: string | undefined): string {
  return diffLines(before, after)
    .map(({ kind, text }) => `${MARKS[kind]}${text}`)
    .join("\n");
}
