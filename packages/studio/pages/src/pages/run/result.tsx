/** What came of a run, as its report begins: before and after in large letters, what changed, and what it took. */
import type { JSX } from "preact";
import type { Interval, RunDetail } from "../../../../src/serve/api.ts";
import { bytes, count, duration, percent, plural, rate } from "../../format/numbers.ts";
import { Estimate, IntervalTrack, ProgressBar } from "../../parts/figures.tsx";
import { splitWords, stepsOf } from "./run-words.ts";
import { Visible } from "../../parts/inert-text.tsx";

export function Result({ detail }: { readonly detail: RunDetail }): JSX.Element {
  const { updates, before, success, stored } = detail;
  const after = success?.phase === "before" ? null : success;
  const trains = updates !== null || detail.kind === "train";
  const share = updates?.planned ? updates.done / updates.planned : 0;
  return (
    <section class="headline card" aria-label="Result">
      {updates !== null && (
        <div class="far">
          <p>
            <b data-testid="updates-done">{count(updates.done)}</b>{" "}
            {updates.planned === null ? "updates" : `of ${plural(updates.planned, "update")}`}
          </p>
          {share < 1 && <ProgressBar label="Updates done" share={share} />}
        </div>
      )}
      {(trains || stored !== null) && (
        <div class="numbers">
          {trains && <BigNumber name="Before" share={before} of="held-out tasks" />}
          {trains && <BigNumber name={nameOf(after)} share={after} of={wordOf(after)} />}
          {stored !== null && success === null && <BigNumber name="Success" share={stored} of={storedWord(detail)} />}
        </div>
      )}
      <Change detail={detail} />
      <Facts detail={detail} />
    </section>
  );
}

function nameOf(share: RunDetail["success"]): string {
  return share === null || share.phase === "after" ? "After" : `Update ${count(share.update)}`;
}

function wordOf(share: RunDetail["success"]): string {
  return share?.phase === "validation" ? "validation tasks" : "held-out tasks";
}

/** A search stores every line that it walked; its success is that of the lines it chose. */
function storedWord({ config, split }: RunDetail): string {
  const of = split === null ? "" : `, ${splitWords(split)}`;
  return config["search"] === undefined ? `stored episodes${of}` : `tasks${of}, by the line it chose`;
}

interface BigNumberProps {
  readonly name: string;
  readonly share: Interval | null;
  /** Which tasks or episodes. */
  readonly of: string;
}

function BigNumber({ name, share, of }: BigNumberProps): JSX.Element {
  return (
    <div class="big-number">
      <span class="soft">{name}</span>
      {share === null ? (
        <b class="none">not measured</b>
      ) : (
        <>
          <b>{rate(share.value)}</b>
          <IntervalTrack {...share} />
          <span class="soft">
            [{rate(share.low)}, {rate(share.high)}] · {count(share.tasks)} {of}
          </span>
        </>
      )}
    </div>
  );
}

function Change({ detail: { change, moved } }: { readonly detail: RunDetail }): JSX.Element | null {
  if (change === null || moved === null) return null;
  return (
    <p class="change">
      <Estimate value={change.difference} low={change.low} high={change.high} difference /> on the same{" "}
      {plural(change.tasks, "task")}: {count(moved.gained)} newly solved, {count(moved.lost)} lost, {count(moved.kept)}{" "}
      solved both times, {count(moved.never)} never.
    </p>
  );
}

/** Their time is that of the clock; of recordings only the episodes' own times are known. */
const RECORDED = ["import", "record"];

function Facts({ detail }: { readonly detail: RunDetail }): JSX.Element {
  const { success, cost } = detail;
  return (
    <dl class="facts">
      <Fact label="Episodes stored" value={count(detail.trajectories)} />
      <Fact {...stepsOf(detail)} />
      {cost.sampledTokens !== null && <Fact label="Tokens sampled" value={count(cost.sampledTokens)} />}
      {cost.seconds !== null && (
        <Fact label={RECORDED.includes(detail.kind) ? "Time of all episodes" : "Time"} value={duration(cost.seconds)} />
      )}
      {cost.usd !== null && <Fact label="Paid" value={`$${cost.usd.toFixed(2)}`} />}
      <Fact label="On disk" value={bytes(detail.bytes)} />
      {detail.end !== null && <Fact label="Ended" value={`${detail.end.reason}, update ${detail.end.update}`} />}
      {success !== null && success.invalid !== null && (
        <Fact label="Refused actions" value={percent(success.invalid)} />
      )}
    </dl>
  );
}

function Fact({ label, value }: { readonly label: string; readonly value: string }): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        <Visible text={value} />
      </dd>
    </div>
  );
}
