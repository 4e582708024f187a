/** What a local policy demands of the numbers among its options. */
import { may } from "../../base/options.ts";

/** More than any machine here has; each takes the memory of a model. */
const MOST_CORES = 256;

export const LOCAL_CHECKS = {
  threads: may.count,
  cores: { ...may.count, most: MOST_CORES },
  budgetTokens: may.count,
  maxRows: may.count,
} as const;
