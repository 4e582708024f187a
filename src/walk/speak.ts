/** One call of a mind: paid for beforehand, within its time limit, booked as it came out. */
import type { Caller } from "./calls.ts";
import type { Mind, SpeakOptions, Spoken } from "./mind/agent.ts";
import { holdCall, settleCall, type CallUse } from "./pay.ts";
import type { Prices, Purse } from "./purse.ts";

/** Who speaks, and at whose cost. */
export interface Speaker {
  readonly mind: Mind;
  readonly calls: Caller;
  readonly prices: Prices;
  readonly admissible: SpeakOptions["admissible"];
}

/** Says up to so many tokens. Undefined, and nobody asked, when not one of them could be paid. */
export async function speak(
  { mind, calls, prices, admissible }: Speaker,
  purse: Purse,
  most: number,
): Promise<(Spoken & { readonly granted: number }) | undefined> {
  // An answer that goes on reads nothing again.
  const read = mind.said > 0 ? 0 : (mind.promptTokens?.() ?? 0);
  const granted = holdCall(purse, { read, said: most }, prices);
  if (granted === undefined) return undefined;
  let use: CallUse = { read, said: 0, modelCalls: 1 };
  try {
    const spoken = await calls.policy(({ signal }) => mind.speak({ maxTokens: granted, signal, admissible }));
    // Where a server has counted, its count is what is billed.
    use = { read: spoken.read ?? read, said: spoken.tokens, modelCalls: spoken.modelCalls };
    return { ...spoken, granted };
  } finally {
    settleCall(purse, { read, said: granted }, use, prices);
  }
}
