/** One training of this page: what it does now, its curve as it grows, and the button that stops it. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import type { TrainingItem } from "../../../../src/serve/api.ts";
import { useAnswer } from "../../client/use-answer.ts";
import { count, plural } from "../../format/numbers.ts";
import { InertText } from "../../parts/inert-text.tsx";
import { ProgressBar, Share } from "../../parts/figures.tsx";
import { writePlace } from "../../route/place.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { SuccessChart } from "../run/run-charts.tsx";
import { useLiveRun } from "../run/use-live-run.ts";
import { StopTraining } from "./stop-training.tsx";

const BADGES: Readonly<Record<TrainingItem["state"], string>> = {
  starting: "live",
  running: "live",
  stopping: "live",
  finished: "good",
  stopped: "warn",
  failed: "bad",
};

export function isLive({ endedAt }: TrainingItem): boolean {
  return endedAt === null;
}

export interface TrainingCardProps {
  readonly training: TrainingItem;
  readonly changed: () => void;
}

export function TrainingCard({ training, changed }: TrainingCardProps): JSX.Element {
  const { run, state, phase, done, updates, problem, command, world, recipe, seed } = training;
  return (
    <section class="card section training" aria-label={`Training ${visibleLine(run, 60)}`}>
      <div class="row spread">
        <h2>
          <a href={writePlace(["runs", run])}>{visibleLine(run, 80)}</a>
        </h2>
        <span class="row">
          <span class={`badge ${BADGES[state]}`}>{state}</span>
          {isLive(training) && <StopTraining run={run} disabled={state === "stopping"} stopped={changed} />}
        </span>
      </div>
      <p class="soft">
        {recipe} on {world}, seed {count(seed)}
      </p>
      <p role="status">
        <b>{count(done)}</b> of {plural(updates, "update")}
        {phase !== "" && `. ${phase} …`}
      </p>
      <ProgressBar label="Updates done" share={done / updates} />
      {problem !== null && (
        <div class="note bad">
          <InertText text={problem} class="pointed" />
        </div>
      )}
      {state !== "starting" && <Watched run={run} />}
      <p class="soft small">
        The same in a terminal: <code class="wrap">{command}</code>
      </p>
    </section>
  );
}

/** A run is in the store as soon as it has written something; until then it is asked for again. */
const LOOK_EVERY_MS = 1_000;

function Watched({ run }: { readonly run: string }): JSX.Element | null {
  const asked = useAnswer("run", { of: run });
  const { live } = useLiveRun(run, asked.value);
  const { reload, failure } = asked;
  useEffect(() => {
    if (failure?.code !== "no-run") return undefined;
    const timer = setTimeout(reload, LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [failure, reload]);
  const detail = live?.detail ?? asked.value;
  if (detail === undefined) return null;
  const { before, success } = detail;
  return (
    <>
      <dl class="facts">
        {before !== null && (
          <div>
            <dt>Held-out success before</dt>
            <dd>
              <Share share={before} />
            </dd>
          </div>
        )}
        {success !== null && success.phase !== "before" && (
          <div>
            <dt>{success.phase === "after" ? "after training" : `newest ${success.phase}`}</dt>
            <dd>
              <Share share={success} />
            </dd>
          </div>
        )}
      </dl>
      <SuccessChart detail={detail} />
    </>
  );
}
