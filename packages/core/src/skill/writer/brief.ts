/**
 * Questions in few words, for a writer too small to read whole records: a word for what is wanted, then lines that are cut in
 * their middle until all of them fit. The bundled writer was trained on exactly these, so they change only together with it.
 */
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { labelOutcome } from "../outcome.ts";
import type { OutcomeLabel, Writing } from "../skill.ts";
import { readMoves, hasSucceeded, type Move } from "../statistics/transitions.ts";

/** About 1,100 tokens of the bundled writer: what is longer costs it more than it tells. */
const LONGEST_QUESTION = 2_800;
/** A cut line still shows how it begins and ends. */
const SHORTEST_LINE = 24;

const OUTCOMES: Readonly<Record<OutcomeLabel, string>> = { success: "won", failure: "lost", unknown: "open" };
const SIBLING = "another won:";

/**
 * The question as the bundled writer reads it.
 *
 * @example
 * console.log(briefQuestion({ kind: "reason", material: ["task: stay dry", "saw: rain"] }).split("\n").length); // 3
 */
export function briefQuestion({
  kind,
  brief,
  material,
}: Pick<Writing<unknown>, "kind" | "brief" | "material">): string {
  const lines = (brief ?? material).map((line) => line.replaceAll(/\s+/g, " ").trim());
  const room = LONGEST_QUESTION - kind.length - lines.length;
  return [kind, ...fitted(lines, room)].join("\n");
}

/** The longest lines are cut first, all to the same length; where even that is too much, those of the middle are left out. */
function fitted(lines: readonly string[], room: number): string[] {
  const total = (cap: number): number => lines.reduce((sum, { length }) => sum + Math.min(length, cap), 0);
  let [low, high] = [SHORTEST_LINE, Math.max(SHORTEST_LINE, ...lines.map(({ length }) => length))];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (total(middle) <= room) low = middle;
    else high = middle - 1;
  }
  const cut = lines.map((line) => cutMiddle(line, low));
  if (total(low) <= room) return cut;
  const half = Math.floor(room / SHORTEST_LINE / 2);
  return [...cut.slice(0, half), "…", ...cut.slice(cut.length - half)];
}

function cutMiddle(line: string, most: number): string {
  if (line.length <= most) return line;
  const tail = Math.floor((most - 1) / 2);
  return `${line.slice(0, most - 1 - tail)}…${line.slice(line.length - tail)}`;
}

/**
 * An episode and the sibling that it can learn most from. Each step has a name ("a3", the sibling's "b0"), the state it was taken in and
 * the one it led to, and the action: an answer names steps and need not copy them (`readBriefAnswer`). What the episode saw has lines of
 * its own, which are longer and are cut first. States have small numbers, so that a way back can be seen.
 */
export function briefEpisodes(
  trajectory: Trajectory,
  group: readonly Trajectory[],
  { maxStepSkills }: { readonly maxStepSkills: number },
): string[] {
  const { of } = readMoves(group.includes(trajectory) ? group : [trajectory, ...group]);
  const states = new Map<string, number>();
  const stateOf = (key: string): string => {
    if (!states.has(key)) states.set(key, states.size);
    return `s${states.get(key)}`;
  };
  const did = (who: string, { from, to, step, wasted }: Move): string => {
    const mark = wasted === undefined ? "" : wasted === "refused" ? " (refused)" : " (no change)";
    const way = to === undefined ? stateOf(from) : `${stateOf(from)}>${stateOf(to)}`;
    return `${who}${step.index} ${way}${mark}: ${step.action}`;
  };
  const own = (of.get(trajectory.id) ?? []).flatMap((move, at) => [
    did("a", move),
    `saw: ${trajectory.steps[at + 1]?.observation ?? trajectory.closing?.observation ?? ""}`,
  ]);
  const other = bestSibling(trajectory, group);
  return [
    `hints: ${maxStepSkills}`,
    `task: ${trajectory.task.goal}`,
    `saw: ${trajectory.steps[0]?.observation ?? ""}`,
    `${OUTCOMES[labelOutcome(trajectory)]}:`,
    ...own,
    ...(other === undefined ? [] : [SIBLING, ...(of.get(other.id) ?? []).map((move) => did("b", move))]),
  ];
}

/** The shortest success, where the episode itself is none or is longer. */
function bestSibling(trajectory: Trajectory, group: readonly Trajectory[]): Trajectory | undefined {
  const wins = group.filter((one) => one.id !== trajectory.id && hasSucceeded(one));
  const [best] = wins.toSorted((left, right) => left.steps.length - right.steps.length);
  const isBetter = !hasSucceeded(trajectory) || (best?.steps.length ?? 0) < trajectory.steps.length;
  return isBetter ? best : undefined;
}
