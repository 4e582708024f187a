/**
 * What is new in a call whose instrumentation repeats the whole history: what follows the longest earlier call and its reply that
 * it goes on from; everything where it goes on from none. System messages stand outside the comparison, and are new where they
 * changed. The recorder places its calls by the same rule (`src/record/recorder/threads.ts`).
 */
import type { Message } from "../../trajectory/index.ts";
import { textOf } from "./chat-steps.ts";

interface Turn {
  readonly system: readonly Message[];
  readonly history: readonly Message[];
}

export class EarlierCalls {
  readonly #turns: Turn[] = [];

  /** The new messages of a call, and what to do with its reply. A call that got none leaves no trace. */
  place(given: readonly Message[]): {
    readonly fresh: readonly Message[];
    readonly answered: (reply: Message) => void;
  } {
    const system = given.filter(({ role }) => role === "system");
    const rest = given.filter(({ role }) => role !== "system");
    const before = this.#longest(rest);
    const fresh = rest.slice(before?.history.length ?? 0);
    const sameSystem =
      before !== undefined && startsWith(system, before.system) && system.length === before.system.length;
    return {
      fresh: sameSystem ? fresh : [...system, ...fresh],
      answered: (reply) => void this.#turns.push({ system, history: [...rest, reply] }),
    };
  }

  #longest(rest: readonly Message[]): Turn | undefined {
    let found: Turn | undefined;
    for (const turn of this.#turns) {
      const longer = turn.history.length >= (found?.history.length ?? 0);
      if (longer && startsWith(rest, turn.history)) found = turn;
    }
    return found;
  }
}

function startsWith(messages: readonly Message[], beginning: readonly Message[]): boolean {
  return beginning.length <= messages.length && beginning.every((message, at) => isSame(message, messages[at]));
}

/** Clients send a reply back without its reasoning and with its arguments written anew; its calls have ids. */
function isSame(one: Message, other: Message | undefined): boolean {
  if (other === undefined || one.role !== other.role || one.toolCallId !== other.toolCallId) return false;
  const [calls, again] = [one, other].map(({ toolCalls = [] }) => toolCalls.map(({ id, name }) => `${id} ${name}`));
  if (calls?.join("\n") !== again?.join("\n")) return false;
  if ((calls ?? []).length > 0) return true;
  const [text, same] = [textOf(one.content), textOf(other.content)];
  return text === same && (text !== "" || JSON.stringify(one.content) === JSON.stringify(other.content));
}
