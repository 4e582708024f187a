/** Suites that come with Limbeck, by name. A new one is a file and a line here. */
import type { SuiteInput } from "../suite.ts";
import { agentValueBench } from "./agent-valuebench.ts";
import { ajBench } from "./aj-bench.ts";
import { clawEvalLive } from "./claw-eval-live.ts";
import { debate } from "./debate.ts";
import { docScope } from "./docscope.ts";
import { finTrace } from "./fintrace.ts";
import { generalPuzzles } from "./general-puzzles.ts";
import { intents } from "./intents.ts";
import { newErrands } from "./new-errands.ts";
import type { MadeSuite } from "./made-suite.ts";
import { planRewardBench } from "./plan-rewardbench.ts";
import { smallWorlds } from "./small-worlds.ts";

export const ownSuites = {
  "agent-valuebench": agentValueBench,
  // Behind each that has one its control, in which one thing is left out.
  "aj-bench": ajBench("probe"),
  "aj-bench-record": ajBench("record"),
  "claw-eval-live": clawEvalLive("books"),
  "claw-eval-live-words": clawEvalLive("words"),
  debate: debate("spread"),
  "debate-mean": debate("mean"),
  docscope: docScope("chain"),
  "docscope-answer": docScope("answer"),
  fintrace: finTrace("axes"),
  "fintrace-outcome": finTrace("outcome"),
  "general-puzzles": generalPuzzles,
  intents,
  "new-errands": newErrands,
  "plan-rewardbench": planRewardBench,
  "small-worlds": smallWorlds,
} as const satisfies Record<string, SuiteInput | MadeSuite>;
