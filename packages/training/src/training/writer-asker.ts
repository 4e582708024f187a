/** A writer as the one whom a search asks, by the contract of every writer: no model can stop or spoil a search. */
import { EngineError } from "limbeck-base/base/errors";
import type { Writer } from "limbeck-core/skill/skill";
import type { Asker } from "limbeck-core/walk/tree/asker";

/** Without an answer that can be used it rejects; the search notes that and goes by its own rule. */
export function writerAsker(writer: Writer): Asker {
  return async (prompt, { maxTokens, signal, seed, kind = "critique", goal }) => {
    const { value, why, usage } = await writer.write<string>(
      {
        kind,
        // Searches quote what worlds say themselves.
        wanted: prompt,
        material: [],
        ...(goal === undefined ? {} : { goal }),
        maxTokens,
        // The purse pays for one answer.
        attempts: 1,
        seed: Number(seed),
        read: (text) => (text.trim() === "" ? undefined : text),
        textsOf: (text) => (kind === "critique" ? [] : [text]),
      },
      { signal },
    );
    if (value === undefined) throw new EngineError("chat-failed", `Nobody wrote: ${why ?? "no answer"}.`);
    return { text: value, ...(usage === undefined ? {} : { usage }) };
  };
}
