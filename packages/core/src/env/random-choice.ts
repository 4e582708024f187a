/** The lowest line of a comparison: any of the listed actions, whatever is seen. */
import { pick } from "limbeck-base/base/rng";
import type { Demonstrator } from "./expert.ts";

export const randomChoice: Demonstrator = {
  id: "random",
  summary: "Takes any listed action, whatever it sees.",
  start: (_task, rng) => ({ next: ({ admissible = [] }) => pick(admissible, rng) ?? "" }),
};
