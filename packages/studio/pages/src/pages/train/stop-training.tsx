/** Stops a training of this studio, as Ctrl-C would. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { toFailure } from "../../client/failure.ts";
import { useClient } from "../../client/use-answer.ts";

export interface StopTrainingProps {
  readonly run: string;
  readonly disabled: boolean;
  readonly stopped: () => void;
}

export function StopTraining({ run, disabled, stopped }: StopTrainingProps): JSX.Element {
  const client = useClient();
  const [problem, setProblem] = useState("");
  const stop = async (): Promise<void> => {
    try {
      await client.call("stopTraining", { body: { run } });
      stopped();
    } catch (error) {
      setProblem(toFailure(error).message);
    }
  };
  return (
    <>
      <button class="button" type="button" disabled={disabled} onClick={() => void stop()} title="What is done is kept">
        Stop
      </button>
      {problem !== "" && <span role="alert">{problem}</span>}
    </>
  );
}
