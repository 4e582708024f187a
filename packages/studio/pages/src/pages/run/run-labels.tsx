/** What people say of a run: tags, a note, whether it is pinned or archived. The server keeps it beside the run. */
import type { JSX } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import type { LabelChange, Labels } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { MetaContext, useClient } from "../../client/use-answer.ts";
import { Visible } from "../../parts/inert-text.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Tags } from "../../parts/tags.tsx";
import { LabelForm } from "./label-form.tsx";

export interface RunLabelsProps {
  readonly run: string;
  readonly labels: Labels;
  /** Asks for what is said now; somebody else may have changed it. */
  readonly reload: () => void;
}

export function RunLabels({ run, labels: told, reload }: RunLabelsProps): JSX.Element | null {
  const writable = useContext(MetaContext)?.writable === true;
  const { labels, change, failure } = useLabels(run, told, reload);
  const [editing, setEditing] = useState(false);
  const { tags, note, pinned, archived } = labels;
  const empty = tags.length === 0 && note === "" && !pinned && !archived;
  if (!writable && empty) return null;
  return (
    <section class="run-labels" aria-label="Labels">
      <div class="row">
        {pinned && <span class="badge">★ pinned</span>}
        {archived && <span class="badge warn">archived</span>}
        <Tags tags={tags} />
        {writable && (
          <>
            <button class="button small" type="button" onClick={() => void change({ pinned: !pinned })}>
              {pinned ? "Unpin" : "Pin"}
            </button>
            <button class="button small" type="button" onClick={() => void change({ archived: !archived })}>
              {archived ? "Bring back" : "Archive"}
            </button>
            <button
              class="button small"
              type="button"
              aria-expanded={editing}
              onClick={() => setEditing((open) => !open)}
            >
              Tags and note
            </button>
          </>
        )}
      </div>
      {note !== "" && !editing && (
        <p class="run-note inert">
          <Visible text={note} />
        </p>
      )}
      {editing && (
        <LabelForm
          labels={labels}
          save={async (said, seen) => {
            if (await change(said, seen)) setEditing(false);
          }}
        />
      )}
      {failure !== undefined && <Problem failure={failure} />}
    </section>
  );
}

function useLabels(
  run: string,
  told: Labels,
  reload: () => void,
): {
  readonly labels: Labels;
  /** `seen`: the version that was on the screen. Default: the newest. */
  readonly change: (said: Omit<LabelChange, "version">, seen?: number) => Promise<boolean>;
  readonly failure: Failure | undefined;
} {
  const client = useClient();
  const [own, setOwn] = useState(told);
  const [failure, setFailure] = useState<Failure>();
  // What others say arrives with the run; the newest counts.
  const labels = told.version > own.version ? told : own;
  useEffect(() => setFailure(undefined), [run]);
  const change = async (said: Omit<LabelChange, "version">, version = labels.version): Promise<boolean> => {
    try {
      setOwn(await client.call("label", { of: run, body: { ...said, version } }));
      setFailure(undefined);
      return true;
    } catch (error) {
      setFailure(toFailure(error));
      reload();
      return false;
    }
  };
  return { labels, change, failure };
}
