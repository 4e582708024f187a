/** What a person decides about a skill; the server writes it down with a name, a reason and the time. */
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { SkillDetail } from "../../../../src/serve/api.ts";
import { toFailure, type Failure } from "../../client/failure.ts";
import { useClient } from "../../client/use-answer.ts";
import { Problem } from "../../parts/problem.tsx";

const DECISIONS = ["promote", "demote", "quarantine"] as const;

export function Decision({
  id,
  decided,
}: {
  readonly id: string;
  readonly decided: (skill: SkillDetail) => void;
}): JSX.Element {
  const client = useClient();
  const [who, setWho] = useState("");
  const [note, setNote] = useState("");
  const [failure, setFailure] = useState<Failure>();
  const [busy, setBusy] = useState(false);
  const decide = async (decision: (typeof DECISIONS)[number]): Promise<void> => {
    setBusy(true);
    try {
      decided(await client.call("decide", { body: { id, decision, who, note } }));
      setFailure(undefined);
      setNote("");
    } catch (error) {
      setFailure(toFailure(error));
    }
    setBusy(false);
  };
  return (
    <fieldset class="decision">
      <legend>Decide</legend>
      <div class="row">
        <label class="labelled">
          Who decides
          <input
            class="field"
            value={who}
            autocomplete="name"
            onInput={({ currentTarget }) => setWho(currentTarget.value)}
          />
        </label>
        <label class="labelled wide">
          Why
          <input class="field" value={note} onInput={({ currentTarget }) => setNote(currentTarget.value)} />
        </label>
      </div>
      <div class="row">
        {DECISIONS.map((decision) => (
          <button
            key={decision}
            class="button"
            type="button"
            disabled={busy || who.trim() === ""}
            onClick={() => void decide(decision)}
          >
            {decision}
          </button>
        ))}
        {who.trim() === "" && <span class="soft small">It is written down with a name and the time.</span>}
      </div>
      {failure !== undefined && <Problem failure={failure} />}
    </fieldset>
  );
}
