/** One skill, its tasks and its proposer as the inputs say, through the gate and into a branch. */
import { join } from "node:path";
import { z } from "zod";
import { askFirst } from "limbeck-base/base/ask-first";
import { EngineError } from "limbeck-base/base/errors";
import { textIfThere } from "limbeck-base/base/files";
import { givenText, neededPath } from "limbeck-base/base/given-file";
import { parseJson } from "limbeck-base/base/json";
import { createRng } from "limbeck-base/base/rng";
import { plural } from "limbeck-base/base/units";
import {
  optimiseSkill,
  type OptimisedRound,
  type RunTrials,
  type SkillProposer,
} from "limbeck-core/eval/optimise/optimise-skill";
import {
  gepaProposer,
  rewriteProposer,
  ruleProposer,
  skillOptProposer,
  type AskModel,
} from "limbeck-core/eval/optimise/proposers";
import { appendLine } from "limbeck-core/skill/library/folder-files";
import { givenAct, givenLibrary } from "limbeck-core/skill/library/given-library";
import type { LibrarySkill } from "limbeck-core/skill/library/library-skill";
import { versionOf, writeSkillFile } from "limbeck-core/skill/library/skill-file";
import { createSelector } from "limbeck-recorder/selection/select";
import { armTexts, fittingTasks, openBench, type Bench } from "./lift-bench.ts";
import type { LiftContext } from "./lift.inputs.ts";
import { openBranch } from "./optimise-branch.ts";
import type { OptimiseContext, OptimiseInput } from "./optimise.inputs.ts";

const roundSchema = z.object({
  round: z.number(),
  text: z.string(),
  outcome: z.enum(["accepted", "refused", "nothing proposed"]),
  why: z.string(),
});
const ANSWER_TOKENS = 4_096;
/** Runs of a round: a try of the training tasks, and both texts on all others. */
const RUNS_OF_A_TASK = 2;

export async function optimiseInBranch(given: OptimiseInput, context: OptimiseContext) {
  const library = givenLibrary(given, context);
  const skill = await library.read(given.skill);
  const journal = join(library.root, ".lift", `optimised-${skill.name}.jsonl`);
  const earlier = readRounds(await textIfThere(journal));
  const branch = given.branch ?? `limbeck/${skill.name}-${earlier.length + 1}`;
  const repository = await openBranch(library.root, branch);
  const proposer = await openProposer(given, context);
  // Apart from what lift keeps: outcomes that chose a text must not prove it.
  const revision = `optimise ${given.revision ?? ""}`;
  const lifting = { ...given, revision, names: [], trials: 1, worthwhile: 0, strict: false, dryRun: true, out: [] };
  const bench = await openBench(lifting, library, { ...context, emit: context.emit as LiftContext["emit"] });
  try {
    const selector = createSelector([{ ...skill, status: "active" }]);
    const tasks = await fittingTasks(given.tasks, bench, ({ goal }) => selector.select({ goal }).skills.length > 0);
    const training = tasks.filter((_, at) => at % 4 === 0);
    const heldOut = tasks.filter((_, at) => at % 4 > 0);
    if (heldOut.length === 0) throw tooFew(skill, tasks.length);
    await askForRuns(given, context, bench, tasks.length);
    const { text, rounds } = await optimiseSkill({
      ...given,
      text: skill.text.trim(),
      proposer,
      run: trialsOf(skill, bench),
      training,
      heldOut,
      earlier,
      isOver: bench.account.isOver,
      signal: context.signal,
      onRound: (round) => context.emit({ event: "round", ...round }),
    });
    for (const { lift: _, ...round } of rounds) await appendLine(journal, round);
    const accepted = rounds.filter(({ outcome }) => outcome === "accepted").length;
    const { by } = givenAct(given, context);
    const files = {
      [`${skill.name}/SKILL.md`]: candidateFile(skill, text),
      [`${skill.name}/optimised.md`]: evidencePage(skill, rounds, bench),
    };
    const commit =
      accepted === 0 ? null : await repository.commit(files, `skills: ${skill.name}, optimised and not yet proven`, by);
    const ended = {
      skill: skill.name,
      accepted,
      rounds: rounds.length,
      branch: commit === null ? null : branch,
      commit,
      episodes: bench.episodes(),
    };
    context.emit({ event: "end", ...ended });
    return ended;
  } finally {
    await bench.close();
  }
}

function readRounds(text = ""): OptimisedRound[] {
  return text.split("\n").flatMap((line) => {
    const parsed = roundSchema.safeParse(parseJson(line));
    return parsed.success ? [parsed.data] : [];
  });
}

async function openProposer(given: OptimiseInput, context: OptimiseContext): Promise<SkillProposer> {
  const { proposer, lines, seed } = given;
  if (proposer === "rules") {
    neededPath(context, lines, '"--proposer rules" needs --lines FILE, with one line of advice a line.');
    const text = await givenText(context, lines ?? "", "the lines of advice");
    return ruleProposer(
      text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== ""),
    );
  }
  const { chatServerFrom } = await import("limbeck-policy/policy/chat/server");
  const { openChatModel } = await import("limbeck-policy/policy/chat/chat-model");
  const chat = openChatModel(chatServerFrom(context.environment));
  const ask: AskModel = async (content, signal) =>
    (await chat.complete([{ role: "user", content }], { maxTokens: ANSWER_TOKENS, ...(signal && { signal }) })).text;
  if (proposer === "gepa") return gepaProposer(ask, createRng(`gepa ${seed}`));
  return proposer === "rewrite" ? rewriteProposer(ask) : skillOptProposer(ask);
}

async function askForRuns(
  { yes, budget, rounds }: OptimiseInput,
  context: OptimiseContext,
  bench: Bench,
  tasks: number,
): Promise<void> {
  if (!bench.costs || yes || Object.keys(budget).length > 0) return;
  const runs = plural(rounds * tasks * RUNS_OF_A_TASK, "run");
  const unasked = `This takes ${runs} at most. --yes begins; --budget runs=N is never passed.`;
  if (await askFirst(context, `This takes ${runs} at most. Begin? [y/N] `, unasked)) return;
  throw new EngineError("needs-yes", unasked);
}

/** Each round is a trial of its own: no outcome that led to an edit is used to judge it. */
function trialsOf(skill: LibrarySkill, bench: Bench): RunTrials {
  return async (tasks, text, round) => {
    const edited = createSelector([{ ...skill, text, status: "active" }]);
    const { textFor } = armTexts(edited, bench);
    const run = bench.ledger.armsOf(`${skill.name}@${versionOf({ ...skill, text })}`, bench.run);
    const found = await run(tasks, textFor, { arm: "skill", trial: round });
    return tasks.map((task, at) => ({
      task,
      success: found[at] ?? null,
      transcript: bench.transcripts.get(task.id) ?? "",
    }));
  };
}

/** What it was measured to do was measured with another text. */
function candidateFile(measured: LibrarySkill, text: string): string {
  const { lift: _, ...skill } = measured;
  return writeSkillFile({ skill: { ...skill, text, status: "candidate", version: versionOf({ ...skill, text }) } });
}

function evidencePage({ name }: LibrarySkill, rounds: readonly OptimisedRound[], { setting }: Bench): string {
  const lines = rounds.map(({ round, outcome, why }) => `| ${round} | ${outcome} | ${why} |`);
  return [
    `# ${name}: what the edits rest on`,
    "Held-out pairs of the text before and after. The text is a candidate: `limbeck lift` proves it against nothing and a placebo.",
    ["| round | outcome | measured |", "| ---: | --- | --- |", ...lines].join("\n"),
    `Measured with ${JSON.stringify(setting)}.\n`,
  ].join("\n\n");
}

function tooFew({ name }: LibrarySkill, tasks: number): EngineError {
  return new EngineError(
    "nothing-measured",
    `${plural(tasks, "task")} of this set fit "${name}", and the gate needs held-out ones. Give more: --dataset, --run or --env.`,
  );
}
