/** The command line: parse, call, print, exit code. */
import { listEnvs } from "limbeck-worlds/envs.operation";
import { sample } from "limbeck-policy/policy/sample.operation";
import { score } from "limbeck-policy/policy/score.operation";
import { draftHeads } from "../run/draft-heads.operation.ts";
import { exportTrajectories } from "limbeck-store/record/export.operation";
import { giveFeedback } from "limbeck-store/record/feedback.operation";
import { importFiles } from "limbeck-store/record/import.operation";
import { listTraces } from "limbeck-store/record/traces.operation";
import { rolloutRun } from "../run/rollout.operation.ts";
import { searchOperation } from "../run/search.operation.ts";
import { evalOperation } from "../run/eval.operation.ts";
import { liftSkills } from "../run/lift.operation.ts";
import { optimiseOperation } from "../run/optimise.operation.ts";
import { askSuite } from "../run/suite.operation.ts";
import { warmUpModel } from "../run/warm-up.operation.ts";
import { sft } from "limbeck-training/training/sft.operation";
import type { CommandTable, Io } from "./command.ts";
import { commandOf } from "./command-of.ts";
import { agent } from "./commands/agent.ts";
import { arena } from "./commands/arena.ts";
import { audit } from "./commands/audit.ts";
import { catalog } from "./commands/catalog.ts";
import { check } from "./commands/check.ts";
import { ci } from "./commands/ci.ts";
import { compact } from "./commands/compact.ts";
import { compare } from "./commands/compare.ts";
import { completion } from "./commands/completion.ts";
import { conformance } from "./commands/conformance.ts";
import { credit } from "./commands/credit.ts";
import { demo } from "./commands/demo.ts";
import { diff } from "./commands/diff.ts";
import { doctor } from "./commands/doctor.ts";
import { explain } from "./commands/explain.ts";
import { fleet } from "./commands/fleet.ts";
import { generate } from "./commands/generate.ts";
import { init } from "./commands/init.ts";
import { mcp } from "./commands/mcp.ts";
import { methods } from "./commands/methods.ts";
import { models } from "./commands/models.ts";
import { play } from "./commands/play.ts";
import { proxy } from "./commands/proxy.ts";
import { report } from "./commands/report.ts";
import { reward } from "./commands/reward.ts";
import { rewards } from "./commands/rewards.ts";
import { runs } from "./commands/runs.ts";
import { serveEnv } from "./commands/serve-env.ts";
import { show } from "./commands/show.ts";
import { skills } from "./commands/skills.ts";
import { sql } from "./commands/sql.ts";
import { start } from "./commands/start.ts";
import { studio } from "./commands/studio.ts";
import { tail } from "./commands/tail.ts";
import { templates } from "./commands/templates.ts";
import { tokens } from "./commands/tokens.ts";
import { train } from "./commands/train.ts";
import { trainer } from "./commands/trainer.ts";
import { tune } from "./commands/tune.ts";
import { worker } from "./commands/worker.ts";
import { EXIT } from "./exit-code.ts";
import { runCommand } from "./run-command.ts";

export const commands = {
  agent,
  arena,
  audit,
  catalog,
  check,
  ci,
  compact,
  compare,
  completion,
  conformance,
  credit,
  demo,
  diff,
  doctor,
  "draft-heads": commandOf(draftHeads, async () => (await import("./model/show-model.ts")).showDraftHeads),
  envs: commandOf(listEnvs, async () => (await import("./play/show-envs.ts")).showEnvs),
  eval: commandOf(evalOperation, async () => (await import("./eval/show-eval.ts")).showEval),
  explain,
  export: commandOf(exportTrajectories, async () => (await import("./export/show-export.ts")).showExport),
  feedback: commandOf(giveFeedback, async () => (await import("./export/show-export.ts")).showFeedback),
  fleet,
  generate,
  import: commandOf(
    importFiles,
    async () => (await import("./import/show-import.ts")).showImport,
    (imported) => (imported?.trajectories === 0 && imported.skipped > 0 ? EXIT.input : EXIT.done),
  ),
  init,
  lift: commandOf(
    liftSkills,
    async () => (await import("./lift/show-lift.ts")).showLift,
    ({ gate }) => (gate === "failed" ? EXIT.gate : EXIT.done),
  ),
  mcp,
  methods,
  models,
  optimise: commandOf(optimiseOperation, async () => (await import("./optimise/show-optimise.ts")).showOptimise),
  play,
  proxy,
  report,
  reward,
  rewards,
  rollout: commandOf(rolloutRun, async () => (await import("./rollout/show-rollout.ts")).showRollout),
  runs,
  sample: commandOf(sample, async () => (await import("./model/show-model.ts")).showSample),
  score: commandOf(score, async () => (await import("./model/show-model.ts")).showScore),
  search: commandOf(searchOperation, async () => (await import("./search/show-search.ts")).showSearch),
  "serve-env": serveEnv,
  sft: commandOf(sft, async () => (await import("./sft/show-sft.ts")).showSft),
  show,
  skills,
  sql,
  start,
  studio,
  suite: commandOf(
    askSuite,
    async () => (await import("./suite/show-suite.ts")).showSuite,
    (ok) => (ok ? EXIT.done : EXIT.gate),
  ),
  tail,
  templates,
  tokens,
  traces: {
    ...commandOf(listTraces, async () => (await import("./traces/show-traces.ts")).showTraces),
    subcommands: { summary: "What happened: outcomes, loops, refusals, errors by tool, cost by kind of task" },
  },
  train,
  trainer,
  tune,
  "warm-up": commandOf(warmUpModel, async () => (await import("./warm-up/show-warm-up.ts")).showWarmUp),
  worker,
} as const satisfies CommandTable;

/** Runs one command line; the answer is the exit code. */
export function main(words: readonly string[], io: Io): Promise<number> {
  return runCommand(words, io, commands);
}
