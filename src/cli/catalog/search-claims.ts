/** Claims of systems that are searches. */
import type { Claim } from "./claim.ts";

const search = (method: string): string => `limbeck search --env household --policy bundled --method ${method}`;

export const searchClaims: Readonly<Record<string, Claim>> = {
  AutoMLGen: {
    state: "part",
    lives: "src/search/mcgs.ts",
    command: search("mcgs"),
    missing:
      "Graph search with merged states, whole trajectories used again and a look at other branches; its operators and knowledge base for machine-learning code are not here.",
  },
  BAVT: { state: "works", lives: "src/search/bavt.ts", command: search("bavt") },
  ETS: { state: "works", lives: "src/search/ets.ts", command: search("ets") },
  "I-MCTS": { state: "works", lives: "src/search/i-mcts.ts", command: search("i-mcts") },
};
