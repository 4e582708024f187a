/** One episode: the conversation, its words by credit, the skills, and the siblings. */
import type { JSX } from "preact";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { TrajectoryDetail } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import type { ColourScale, Measure } from "../../colour/token-colour.ts";
import { useShortcuts } from "../../keys/shortcuts.tsx";
import { Answered } from "../../parts/answered.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { setting, wholeSetting, writePlace } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";
import { Beside } from "./beside-view.tsx";
import { ColourBar, MEASURES } from "./colour-bar.tsx";
import { Conversation } from "./conversation.tsx";
import { FindIn } from "./find-in.tsx";
import { JudgePanel, QueueBack } from "./judge-panel.tsx";
import { Outline } from "./outline.tsx";
import { Siblings } from "./siblings.tsx";
import { InspectContext, type Inspect } from "./token-line.tsx";
import { TokenReadout, type Inspected } from "./token-readout.tsx";
import { TrajectoryHead } from "./trajectory-head.tsx";
import { CHUNK } from "./use-steps.ts";

export function TrajectoryPage({ run, id }: { readonly run: string; readonly id: string }): JSX.Element {
  const asked = useAnswer("trajectory", { of: run, query: { id, count: CHUNK } });
  return (
    <>
      {asked.value === undefined && (
        <PageHead
          title="Trajectory"
          crumbs={[
            { label: "Runs", href: writePlace(["runs"]) },
            { label: run, href: writePlace(["runs", run]) },
          ]}
        />
      )}
      <Answered asked={asked} what="the trajectory">
        {(detail) => <Shown detail={detail} again={asked.reload} />}
      </Answered>
    </>
  );
}

function Shown({ detail, again }: { readonly detail: TrajectoryDetail; readonly again: () => void }): JSX.Element {
  const place = usePlace();
  const [inspected, setInspected] = useState<Inspected>();
  const inspect = useCallback<Inspect>(
    (facts, anchor) => setInspected(facts === undefined || anchor === undefined ? undefined : { facts, anchor }),
    [],
  );
  const measure = chosenMeasure(setting(place, "colour"), detail);
  const scale = useMemo(() => scaleOf(measure, detail), [measure, detail]);
  const held = heldPlace(detail, wholeSetting(place, "step"));
  const sibling = detail.siblings.find((one) => one.id === setting(place, "with"));
  const hold = (at: number): void => refine(place, { step: String(detail.outline[at]?.index ?? 0) });
  const choose = (other: string | undefined): void => refine(place, { with: other });
  const move = (by: number): void => hold(Math.max(0, Math.min(detail.outline.length - 1, (held ?? -1) + by)));
  const nextSibling = (by: number): void => {
    const all = detail.siblings;
    const at = all.findIndex((one) => one.id === sibling?.id);
    choose(all[(at + by + all.length) % Math.max(1, all.length)]?.id);
  };
  const next = MEASURES[(MEASURES.findIndex(({ value }) => value === measure) + 1) % MEASURES.length];
  useShortcuts("Trajectory", [
    { keys: "c", meaning: "colour by the next number", run: () => refine(place, { colour: next?.value }) },
    { keys: "n", meaning: "next step", run: () => move(1) },
    { keys: "p", meaning: "previous step", run: () => move(-1) },
    { keys: "]", meaning: "beside the next sibling", run: () => nextSibling(1) },
    { keys: "[", meaning: "beside the previous sibling", run: () => nextSibling(-1) },
    { keys: "Escape", meaning: "this episode alone", run: () => choose(undefined) },
  ]);
  return (
    <InspectContext.Provider value={inspect}>
      <TrajectoryHead detail={detail} />
      <Judging detail={detail} judged={again} />
      {detail.outline.some(({ tokens }) => tokens > 0) && (
        <ColourBar scale={scale} choose={(value) => refine(place, { colour: value })} />
      )}
      <FindIn run={detail.run} id={detail.id} step={wholeSetting(place, "step")} />
      <div class={`trajectory ${sibling === undefined ? "" : "with-sibling"}`}>
        {sibling === undefined ? (
          <Conversation detail={detail} scale={scale} held={held} />
        ) : (
          <Beside key={sibling.id} detail={detail} sibling={sibling} scale={scale} />
        )}
        <Aside detail={detail} held={held} hold={hold} sibling={sibling?.id} choose={choose} />
      </div>
      <TokenReadout inspected={inspected} />
    </InspectContext.Provider>
  );
}

/** Open in a queue; else behind a line, since most come to look. */
function Judging({ detail, judged }: { readonly detail: TrajectoryDetail; readonly judged: () => void }): JSX.Element {
  const queue = setting(usePlace(), "queue");
  if (queue !== undefined) {
    return (
      <>
        <QueueBack queue={queue} />
        <JudgePanel detail={detail} judged={judged} />
      </>
    );
  }
  return (
    <details class="judging">
      <summary>Judge this episode</summary>
      <JudgePanel detail={detail} judged={judged} />
    </details>
  );
}

interface AsideProps {
  readonly detail: TrajectoryDetail;
  readonly held: number | undefined;
  readonly hold: (place: number) => void;
  readonly sibling: string | undefined;
  readonly choose: (id: string | undefined) => void;
}

function Aside({ detail, held, hold, sibling, choose }: AsideProps): JSX.Element {
  // On a narrow screen they stand above the conversation, so they wait folded.
  const roomy = useMemo(() => matchMedia("(min-width: 68.01rem)").matches, []);
  return (
    <aside class="aside" aria-label="Siblings and steps">
      <details open={roomy}>
        <summary>Siblings ({detail.siblings.length})</summary>
        <Siblings siblings={detail.siblings} chosen={sibling} choose={choose} />
      </details>
      {sibling === undefined && (
        <details open={roomy}>
          <summary>Steps ({detail.outline.length})</summary>
          <Outline
            steps={detail.outline}
            scale={{ measure: "advantage", full: detail.scale.advantage || 1 }}
            held={held}
            choose={hold}
          />
        </details>
      )}
    </aside>
  );
}

/**
 * Without a word in the address: what training used for each word. That is its advantage where words have their own, the
 * teacher's shift where advantages are one a step and a teacher spoke; else probability, which every run has.
 */
function chosenMeasure(word: string | undefined, { hasCredit, flatCredit, window }: TrajectoryDetail): Measure {
  const asked = MEASURES.find(({ value }) => value === word)?.value;
  if (asked !== undefined) return asked;
  if (!hasCredit) return "probability";
  const taught = window.some(({ tokens }) => tokens?.shift?.some((shift) => shift !== 0) === true);
  return flatCredit && taught ? "teacher" : "advantage";
}

function scaleOf(measure: Measure, { scale }: TrajectoryDetail): ColourScale {
  const { advantage, shift: teacher, divergence, entropy } = scale;
  const full = { advantage, teacher, divergence, entropy, probability: 1 }[measure];
  // The server knows what few tokens are beyond; without it the unit is as good as anything.
  return { measure, full: full > 0 ? full : 1 };
}

function heldPlace({ outline }: TrajectoryDetail, step: number | undefined): number | undefined {
  if (step === undefined) return undefined;
  const at = outline.findIndex(({ index }) => index === step);
  return at < 0 ? undefined : at;
}
