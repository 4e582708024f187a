/** Two episodes of one group beside each other, step by step, with the place where they part. */
import type { JSX } from "preact";
import { useCallback, useMemo } from "preact/hooks";
import type { Sibling, TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import type { ColourScale } from "../../colour/token-colour.ts";
import { VirtualList } from "../../list/virtual-list.tsx";
import { Answered } from "../../parts/answered.tsx";
import { OutcomeBadge } from "../../parts/figures.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { besideRows, type BesideRow } from "./beside.ts";
import { StepRow } from "./step-row.tsx";
import { CHUNK, useSteps, type Steps } from "./use-steps.ts";

export interface BesideProps {
  readonly detail: TrajectoryDetail;
  readonly sibling: Sibling;
  readonly scale: ColourScale;
}

export function Beside({ detail, sibling, scale }: BesideProps): JSX.Element {
  const asked = useAnswer("trajectory", { of: detail.run, query: { id: sibling.id, count: CHUNK } });
  return (
    <Answered asked={asked} what="the other episode">
      {(other) => <Both detail={detail} other={other} sibling={sibling} scale={scale} />}
    </Answered>
  );
}

function Both({ detail, other, sibling, scale }: BesideProps & { readonly other: TrajectoryDetail }): JSX.Element {
  const entropy = scale.measure === "entropy";
  const own = useSteps(detail, entropy);
  const theirs = useSteps(other, entropy);
  const rows = useMemo(() => besideRows(detail.outline, other.outline, sibling), [detail, other, sibling]);
  const want = useCallback(
    (start: number, end: number) => {
      const shown = rows.slice(start, end);
      wantPlaces(
        own,
        shown.map((row) => row.own),
      );
      wantPlaces(
        theirs,
        shown.map((row) => row.theirs),
      );
    },
    [rows, own.want, theirs.want],
  );
  return (
    <section class="beside" aria-label="Two episodes side by side">
      <div class="beside-head">
        <p>
          <OutcomeBadge outcome={detail.outcome} /> this episode
        </p>
        <p>
          <OutcomeBadge outcome={other.outcome} />{" "}
          <a href={writePlace(["runs", other.run, "trajectory", other.id])} title={visibleLine(other.id, 200)}>
            the other
          </a>
        </p>
      </div>
      <VirtualList
        count={rows.length}
        estimate={130}
        label="Steps of both episodes"
        onRows={want}
        row={(at) => {
          const row = rows[at];
          if (row === undefined) return null;
          return (
            <Pair
              row={row}
              sides={[
                { detail, steps: own, place: row.own },
                { detail: other, steps: theirs, place: row.theirs },
              ]}
              scale={scale}
            />
          );
        }}
      />
    </section>
  );
}

interface Side {
  readonly detail: TrajectoryDetail;
  readonly steps: Steps;
  readonly place: number | undefined;
}

function Pair({
  row,
  sides,
  scale,
}: {
  readonly row: BesideRow;
  readonly sides: readonly Side[];
  readonly scale: ColourScale;
}): JSX.Element {
  const cells = row.kind === "shared" ? sides.filter(({ place }) => place !== undefined).slice(0, 1) : sides;
  return (
    <>
      {row.kind === "parting" && (
        <p class="parting-line">
          <span>the same state, different actions: here they part</span>
        </p>
      )}
      <div class={`pair ${row.kind}`}>
        {cells.map((side, at) => (
          <div key={at}>
            <Cell {...side} scale={scale} />
          </div>
        ))}
      </div>
    </>
  );
}

function Cell({ detail, steps, place, scale }: Side & { readonly scale: ColourScale }): JSX.Element {
  const outline = place === undefined ? undefined : detail.outline[place];
  if (place === undefined || outline === undefined) return <p class="soft ended">ended</p>;
  return (
    <StepRow
      detail={detail}
      outline={outline}
      step={steps.at(place)}
      scale={scale}
      entropy={steps.entropyAt(outline.index)}
      held={false}
      brief
    />
  );
}

function wantPlaces(steps: Steps, places: readonly (number | undefined)[]): void {
  const known = places.filter((place) => place !== undefined);
  if (known.length > 0) steps.want(Math.min(...known), Math.max(...known) + 1);
}
