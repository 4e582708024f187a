/** What opening an agent demands of the numbers among its options. */
import { may } from "limbeck-base/base/options";

export const AGENT_CHECKS = {
  history: may.whole,
  answerTokens: may.count,
  temperature: may.amount,
  concurrency: may.count,
  threads: may.count,
  cores: may.count,
} as const;
