/** The three faces of a question to the server: on its way, refused, answered. */
import type { ComponentChildren, JSX } from "preact";
import type { Asked } from "../client/use-answer.ts";
import { Problem } from "./problem.tsx";

export interface AnsweredProps<Value> {
  readonly asked: Asked<Value>;
  readonly what: string;
  readonly children: (value: Value) => ComponentChildren;
}

/** An older answer stays in sight below a failure: a lost connection takes nothing away from the reader. */
export function Answered<Value>({ asked, what, children }: AnsweredProps<Value>): JSX.Element {
  return (
    <>
      {asked.failure !== undefined && <Problem failure={asked.failure} again={asked.reload} />}
      {asked.value === undefined && asked.failure === undefined && (
        <p class="loading" role="status">
          Loading {what} …
        </p>
      )}
      {asked.value !== undefined && children(asked.value)}
    </>
  );
}
