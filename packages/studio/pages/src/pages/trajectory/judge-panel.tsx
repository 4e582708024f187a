/** A person's verdict on an episode. It is kept beside it as a reward with a name, and the queue goes on. */
import type { JSX } from "preact";
import { useContext, useState } from "preact/hooks";
import type { TrajectoryDetail } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { MetaContext, useClient } from "../../client/use-answer.ts";
import { useShortcuts } from "../../keys/shortcuts.tsx";
import { Problem } from "../../parts/problem.tsx";
import { setting, writePlace } from "../../route/place.ts";
import { go, usePlace } from "../../route/use-place.ts";

const NAME = "limbeck-judge";
/** As many as a person judges before the list is read again. */
const AHEAD = 200;

export interface JudgePanelProps {
  readonly detail: TrajectoryDetail;
  readonly judged: () => void;
}

export function JudgePanel({ detail, judged }: JudgePanelProps): JSX.Element {
  const queue = setting(usePlace(), "queue");
  const writable = useContext(MetaContext)?.writable === true;
  const { who, setWho, comment, setComment, busy, failure, said, say, next } = useJudging(detail, judged, queue);
  useShortcuts(
    "Judge",
    writable
      ? [
          { keys: "y", meaning: "it did what was asked", run: () => void say(true) },
          { keys: "x", meaning: "it did not", run: () => void say(false) },
          ...(queue === undefined ? [] : [{ keys: ".", meaning: "skip to the next", run: () => void next() }]),
        ]
      : [],
  );
  if (!writable) {
    return (
      <p class="note">
        This studio only reads. Started with <code>limbeck studio --write</code> it keeps your verdict;{" "}
        <code>limbeck feedback</code> does the same in the terminal.
      </p>
    );
  }
  return (
    <fieldset class="decision judge">
      <legend>{queue === undefined ? "Judge this episode" : "Did it do what was asked?"}</legend>
      <div class="row">
        <button class="button pass" type="button" disabled={busy} onClick={() => void say(true)}>
          Pass <kbd>y</kbd>
        </button>
        <button class="button fail" type="button" disabled={busy} onClick={() => void say(false)}>
          Fail <kbd>x</kbd>
        </button>
        {comment.trim() !== "" && (
          <button class="button" type="button" disabled={busy} onClick={() => void say(undefined)}>
            Only the comment
          </button>
        )}
        {queue !== undefined && (
          <button class="button quiet" type="button" disabled={busy} onClick={() => void next()}>
            Skip <kbd>.</kbd>
          </button>
        )}
        <label class="labelled wide">
          Comment
          <input class="field" value={comment} onInput={({ currentTarget }) => setComment(currentTarget.value)} />
        </label>
        <label class="labelled">
          Who judges
          <input
            class="field"
            value={who}
            autocomplete="name"
            onInput={({ currentTarget }) => setWho(currentTarget.value)}
          />
        </label>
      </div>
      {said !== "" && (
        <p class="soft small" role="status">
          {said}
        </p>
      )}
      {failure !== undefined && <Problem failure={failure} />}
    </fieldset>
  );
}

function useJudging({ run, id }: TrajectoryDetail, judged: () => void, queue: string | undefined) {
  const client = useClient();
  const [who, setWho] = useState(() => localStorage.getItem(NAME) ?? "person");
  const [comment, setComment] = useState("");
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [said, setSaid] = useState("");
  /** The next that nobody has judged, after this one; then from the start again; then the queue is empty. */
  const following = async (): Promise<(() => void) | undefined> => {
    if (queue === undefined) return undefined;
    const scope = queue === "*" ? {} : { run: [queue] };
    const query = {
      ...scope,
      outcome: "unknown" as const,
      sort: "stored" as const,
      order: "up" as const,
      limit: AHEAD,
    };
    const { trajectories } = await client.call("trajectories", { query });
    const at = trajectories.findIndex((one) => one.run === run && one.id === id);
    const after = trajectories[at + 1] ?? trajectories.find((one) => one.id !== id || one.run !== run);
    if (after === undefined) return () => go(["judge"], queue === "*" ? {} : { run: queue });
    return () => go(["runs", after.run, "trajectory", after.id], { queue });
  };
  const act = async (work: () => Promise<void>): Promise<void> => {
    if (busy) return;
    setBusy(true);
    try {
      await work();
      setFailure(undefined);
    } catch (error) {
      setFailure(toFailure(error));
    }
    setBusy(false);
  };
  const say = (success: boolean | undefined): Promise<void> =>
    act(async () => {
      const name = who.trim() || "person";
      localStorage.setItem(NAME, name);
      const goOn = success === undefined ? undefined : await following();
      const words = comment.trim() === "" ? {} : { comment: comment.trim() };
      await client.call("judge", {
        of: run,
        body: { id, who: name, ...(success === undefined ? {} : { success }), ...words },
      });
      setComment("");
      if (goOn !== undefined) return goOn();
      setSaid(success === undefined ? "The comment is kept." : `Kept: ${success ? "pass" : "fail"}, by ${name}.`);
      judged();
    });
  const next = (): Promise<void> => act(async () => (await following())?.());
  return { who, setWho, comment, setComment, busy, failure, said, say, next };
}

/** Where the queue was entered from. */
export function QueueBack({ queue }: { readonly queue: string }): JSX.Element {
  return <a href={writePlace(["judge"], queue === "*" ? {} : { run: queue })}>‹ queue</a>;
}
