/** A training that is started here, watched while it learns, and stopped. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { TrainingItem, TrainingOrder } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { useAnswer, useClient } from "../../client/use-answer.ts";
import { Answered } from "../../parts/answered.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TrainForm } from "./train-form.tsx";
import { isLive, TrainingCard } from "./training-card.tsx";

const LOOK_EVERY_MS = 1_000;

export function TrainPage(): JSX.Element {
  const asked = useAnswer("trainings", {});
  const { reload } = asked;
  const { start, busy, failure } = useStart(reload);
  const live = asked.value?.trainings.some(isLive) === true;
  useEffect(() => {
    if (!live) return undefined;
    const timer = setInterval(reload, LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [live, reload]);
  return (
    <>
      <PageHead
        title="Train"
        lead="A small training on this machine: the bundled model of a world, as “limbeck train” runs it. It ends with the studio."
      />
      <Answered asked={asked} what="the trainings">
        {(value) => (
          <>
            {value.refused === null ? (
              <TrainForm choices={value} busy={busy || live} start={start} />
            ) : (
              <p class="note">
                Trainings cannot be started from this page. Run <code>limbeck studio --train</code> on this machine, or
                train in a terminal: <code>limbeck train</code>. What it writes appears under Runs by itself.
              </p>
            )}
            {failure !== undefined && <Problem failure={failure} />}
            {value.trainings.map((training) => (
              <TrainingCard key={training.run} training={training} changed={reload} />
            ))}
          </>
        )}
      </Answered>
    </>
  );
}

function useStart(started: () => void): {
  readonly start: (order: TrainingOrder) => void;
  readonly busy: boolean;
  readonly failure: Failure | undefined;
} {
  const client = useClient();
  const [state, setState] = useState<{ busy: boolean; failure?: Failure }>({ busy: false });
  const start = (body: TrainingOrder): void => {
    setState({ busy: true });
    client.call("startTraining", { body }).then(
      (_begun: TrainingItem) => {
        setState({ busy: false });
        started();
      },
      (error: unknown) => setState({ busy: false, failure: toFailure(error) }),
    );
  };
  return { start, busy: state.busy, failure: state.failure };
}
