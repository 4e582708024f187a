/** Tags and a note, as they are written. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Labels } from "../../../../src/serve/api.ts";

export interface LabelFormProps {
  readonly labels: Labels;
  /** `seen`: the version that the form was opened with, until somebody was told that there is a newer one. */
  readonly save: (said: Pick<Labels, "tags" | "note">, seen: number | undefined) => Promise<void>;
}

export function LabelForm({ labels, save }: LabelFormProps): JSX.Element {
  const [tags, setTags] = useState(labels.tags.join(", "));
  const [note, setNote] = useState(labels.note);
  const [busy, setBusy] = useState(false);
  const [seen, setSeen] = useState<number | undefined>(labels.version);
  const send = async (): Promise<void> => {
    setBusy(true);
    const list = tags.split(",").map((tag) => tag.trim());
    await save({ tags: list.filter((tag) => tag !== ""), note }, seen);
    setSeen(undefined);
    setBusy(false);
  };
  return (
    <form
      class="card label-form"
      aria-label="Tags and note"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="labelled">
        Tags, with commas between them
        <input
          class="field"
          value={tags}
          maxLength={800}
          onInput={({ currentTarget }) => setTags(currentTarget.value)}
        />
      </label>
      <label class="labelled">
        Note
        <textarea
          class="field prose"
          value={note}
          maxLength={4_000}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
      </label>
      <div class="row">
        <button class="button primary" type="submit" disabled={busy}>
          Save
        </button>
        <span class="soft small">Kept beside the run; what was recorded stays as it is.</span>
      </div>
    </form>
  );
}
