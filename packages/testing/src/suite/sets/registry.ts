/** The public sets by name. A new one is a file, a test and a line here. */
import { alfworld } from "./alfworld.ts";
import { bfcl } from "./bfcl.ts";
import { gsm8k } from "./gsm8k.ts";
import { humaneval } from "./humaneval.ts";
import { mbpp } from "./mbpp.ts";
import type { PublicSet } from "./set.ts";

export const publicSets = { alfworld, bfcl, gsm8k, humaneval, mbpp } as const satisfies Record<string, PublicSet>;
