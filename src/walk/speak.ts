/** One call of a mind: paid for beforehand, within its time limit, booked as it came out. */
import type { Caller } from "./calls.ts";
import type { Mind, SpeakOptions, Spoken } from "./mind/agent.ts";
import { holdCall, settleCall, type CallNeed, type CallUse } from "./pay.ts";
import type { Prices, Purse } from "./purse.ts";

/** Who speaks, and at whose cost. */
export interface Speaker {
  readonly mind: Mind;
  readonly calls: Caller;
  readonly prices: Prices;
  readonly admissible: SpeakOptions["admissible"];
  /** What it is drawn at. Default: the agent's own temperature. */
  readonly temperature?: number | undefined;
}

/** Sets one call aside: what it reads, and how much it may say. Undefined when not one token could be paid. */
export function holdSpeech({ mind, prices }: Speaker, purse: Purse, most: number): CallNeed | undefined {
  // An answer that goes on reads nothing again.
  const read = mind.said > 0 ? 0 : (mind.promptTokens?.() ?? 0);
  const said = holdCall(purse, { read, said: most }, prices);
  return said === undefined ? undefined : { read, said };
}

/** Says what was set aside, and books what it took. No async function, for the same reason as in `calls.ts`. */
export function speak(speaker: Speaker, purse: Purse, held: CallNeed): Promise<Spoken> {
  const { mind, calls, prices, admissible, temperature } = speaker;
  const { read, said: maxTokens } = held;
  const booked = (use: CallUse): void => settleCall(purse, held, use, prices);
  const failed = (error: unknown): never => {
    booked({ read, said: 0, modelCalls: 1 });
    throw error;
  };
  let saying: Promise<Spoken>;
  try {
    saying = calls.policy(({ signal }) => mind.speak({ maxTokens, signal, admissible, temperature }));
  } catch (error) {
    return failed(error);
  }
  return saying.then((spoken) => {
    const { tokens: said, modelCalls } = spoken;
    // Where a server has counted, its count is what is billed.
    booked({ read: spoken.read ?? read, said, modelCalls });
    return spoken;
  }, failed);
}
