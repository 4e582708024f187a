/** The drawing of a group: boxes for stretches of states, lines as thick as they were often taken. */
import type { JSX } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { GroupTree, TreeNode } from "../../../../src/serve/api.ts";
import { shadeCss, shadeOf } from "../../colour/token-colour.ts";
import { decimal, plural } from "../../format/numbers.ts";
import { OUTCOME_WORDS } from "../../parts/figures.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { layOut, type Box } from "./layout.ts";

const COLUMN = 232;
const WIDTH = 196;
/** Below a box stand the ends of episodes, out of the way of the lines between the columns. */
const ROW = 78;
const HEIGHT = 52;
const EDGE = 12;

export function Forest({ group }: { readonly group: GroupTree }): JSX.Element {
  const { boxes, columns, rows } = useMemo(() => layOut(group.nodes), [group]);
  const most = Math.max(1, ...group.nodes.map(({ visits }) => visits));
  const chosen = useMemo(() => chosenNodes(group), [group]);
  const spread = useMemo(() => returnSpread(group.nodes), [group]);
  const size = { width: columns * COLUMN - (COLUMN - WIDTH) + 2 * EDGE, height: Math.max(1, rows) * ROW + 2 * EDGE };
  const view = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const root = boxes[0];
    // A tree that is taller than the screen begins where its root is.
    if (view.current !== null && root !== undefined) view.current.scrollTop = top(root) - view.current.clientHeight / 2;
  }, [boxes]);
  return (
    <div class="forest-box" tabIndex={0} role="region" aria-label="Tree of the group" ref={view}>
      <div class="forest" style={{ width: `${size.width}px`, height: `${size.height}px` }}>
        <svg width={size.width} height={size.height} aria-hidden="true">
          {boxes.map((box, at) => {
            const parent = box.parent === undefined ? undefined : boxes[box.parent];
            return parent === undefined ? null : (
              <path
                key={at}
                class={isChosen(box, chosen) ? "edge chosen" : "edge"}
                d={edge(parent, box)}
                stroke-width={1 + 5 * ((box.nodes[0]?.visits ?? 0) / most)}
              />
            );
          })}
        </svg>
        <ul>
          {boxes.map((box, at) => (
            <li
              key={at}
              style={{ left: `${left(box)}px`, top: `${top(box)}px`, width: `${WIDTH}px`, height: `${HEIGHT}px` }}
            >
              <StretchBox box={box} run={group.run} spread={spread} chosen={isChosen(box, chosen)} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

interface Spread {
  readonly middle: number;
  readonly full: number;
}

function StretchBox({
  box,
  run,
  spread,
  chosen,
}: {
  readonly box: Box;
  readonly run: string;
  readonly spread: Spread;
  readonly chosen: boolean;
}): JSX.Element {
  const [first, last] = [box.nodes[0], box.nodes.at(-1)];
  if (first === undefined || last === undefined) return <span />;
  const more = box.nodes.length - 1;
  const value = last.meanReturn;
  const shade =
    value === null ? undefined : shadeOf({ measure: "advantage", full: spread.full }, value - spread.middle);
  const what = first.action ?? "start";
  const label = `${visibleLine(what, 80)}${more > 0 ? ` and ${plural(more, "more step")}` : ""}; ${plural(first.visits, "episode")}, ${first.solved} solved, mean return ${decimal(value, 2)}${chosen ? "; on the chosen line" : ""}`;
  return (
    <>
      <a
        class={chosen ? "stretch chosen" : "stretch"}
        href={writePlace(["runs", run, "trajectory", first.example.trajectory], { step: String(decisionOf(first)) })}
        title={`${label}\n${visibleLine(last.observation, 200)}`}
        style={{
          borderLeftColor: shade === undefined ? "var(--rule)" : shadeCss(shade),
          backgroundImage: `linear-gradient(${faint(shade)}, ${faint(shade)})`,
        }}
      >
        <span class="what">
          <span class="clip">
            {chosen && (
              <span class="chosen-mark" title="on the line that the search chose">
                ★{" "}
              </span>
            )}
            {!first.valid && (
              <span class="refused" title="refused">
                ✗{" "}
              </span>
            )}
            {visibleLine(what, 60)}
          </span>
          {more > 0 && <span class="soft">+{more}</span>}
        </span>
        <span class="soft small">
          <b>×{first.visits}</b> · {first.solved} solved · {decimal(value, 2)}
        </span>
      </a>
      {last.ends.length > 0 && (
        <span class="ends">
          {last.ends.slice(0, 6).map(({ trajectory, outcome, reward }) => (
            <a
              key={trajectory}
              class={outcome === "success" ? "good" : outcome === "failure" ? "bad" : ""}
              href={writePlace(["runs", run, "trajectory", trajectory])}
              aria-label={`Episode ${visibleLine(trajectory, 60)}, ${OUTCOME_WORDS[outcome]}, reward ${decimal(reward, 2)}`}
              title={`${visibleLine(trajectory, 80)}: ${decimal(reward, 2)}`}
            >
              {outcome === "success" ? "✓" : outcome === "failure" ? "✗" : "·"}
            </a>
          ))}
          {last.ends.length > 6 && <span class="soft small">+{last.ends.length - 6}</span>}
        </span>
      )}
    </>
  );
}

/** The nodes of the line that a search chose; none where none did. */
function chosenNodes({ trajectories }: GroupTree): ReadonlySet<number> {
  return new Set(trajectories.filter(({ chosen }) => chosen).flatMap(({ path }) => path));
}

/** A stretch is taken as a whole. */
function isChosen({ nodes }: Box, chosen: ReadonlySet<number>): boolean {
  return chosen.has(nodes[0]?.id ?? -1);
}

/** A box is named by what was done to come there: the step before the one it stands for. */
function decisionOf({ action, example }: TreeNode): number {
  return action === null ? example.step : Math.max(0, example.step - 1);
}

/** Returns are coloured by how far they are from that of the whole group, as credit sees them. */
function returnSpread(nodes: readonly TreeNode[]): Spread {
  const roots = nodes.filter(({ parent, meanReturn }) => parent === null && meanReturn !== null);
  const visits = roots.reduce((sum, root) => sum + root.visits, 0);
  const middle = visits === 0 ? 0 : roots.reduce((sum, root) => sum + root.visits * (root.meanReturn ?? 0), 0) / visits;
  const full = Math.max(0, ...nodes.map(({ meanReturn }) => (meanReturn === null ? 0 : Math.abs(meanReturn - middle))));
  return { middle, full: full > 0 ? full : 1 };
}

function faint(shade: ReturnType<typeof shadeOf>): string {
  return shadeCss(shade === undefined ? undefined : { ...shade, strength: shade.strength * 0.3 });
}

function left({ column }: Box): number {
  return EDGE + column * COLUMN;
}

function top({ row }: Box): number {
  return EDGE + row * ROW;
}

function edge(from: Box, to: Box): string {
  const [x1, y1, x2, y2] = [left(from) + WIDTH, top(from) + HEIGHT / 2, left(to), top(to) + HEIGHT / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1},${y1}C${middle},${y1} ${middle},${y2} ${x2},${y2}`;
}
