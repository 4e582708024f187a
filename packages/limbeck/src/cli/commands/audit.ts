/** `limbeck audit`: anybody's logs, looked at for gamed rewards. */
import { cleanLine } from "limbeck-base/base/clean-text";
import { EngineError } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import { plural } from "limbeck-base/base/units";
import { formatNames } from "limbeck-store/record/import.inputs";
import { defineCommand } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";

export const audit = defineCommand({
  group: "look",
  summary: "Look through anybody's logs for gamed rewards",
  description:
    "Reads trajectories with rewards in every format that limbeck import knows: rollout dumps of verl, results of verifiers, ATIF, Harbor, tau-bench, recordings. It stores and sends nothing. Attempts at the same goal are compared with each other.\n" +
    "The screens are those that a training runs (docs/lookup/generated/rewards.md): scores that do not see the difference, judges that are spoken to, rewards that go by length or repetition, failures that are paid like successes. A finding names a pattern with its evidence, not a cheat. What needs success to be known is silent where the logs do not say it.\n" +
    "Exit code 4 when a screen speaks, 3 when no trajectory has a reward.",
  input: {
    paths: input.texts("PATH", "Files or folders", { at: "rest", required: true }),
    format: input.choice("F", "Format of all. Default: what each file shows", formatNames),
  },
  examples: ["limbeck audit rollouts", "limbeck audit outputs/evals/results.jsonl --json"],
  events: {
    finding: {
      event: "for each",
      screen: "which screen speaks",
      message: "what was seen, and what to look at",
      evidence: "numbers and ids",
    },
    end: {
      files: "files read",
      trajectories: "trajectories in them",
      scored: "those with a reward",
      judged: "those whose success is known",
      skipped: "files and records that could not be read",
      findings: "how often a screen speaks",
    },
  },
  run: async ({ paths, format }, frame) => {
    const { readLogs } = await import("limbeck-store/record/read-logs");
    const { screenRewards } = await import("limbeck-core/reward/screens/index");
    const { print, style, cwd, signal } = frame;
    const { trajectories, files, skips } = await readLogs(paths, { cwd, format, signal });
    const scored = trajectories.filter(({ reward }) => reward.kind === "scored");
    const judged = trajectories.filter(({ success }) => success !== null);
    for (const { file, message } of skips.slice(0, 5)) frame.note(`Left out ${cleanLine(file)}: ${cleanLine(message)}`);
    if (skips.length > 5) frame.note(`and ${skips.length - 5} more.`);
    if (scored.length === 0) {
      const seen = `${plural(trajectories.length, "trajectory", "trajectories")} in ${plural(files, "file")}`;
      throw new EngineError(
        "nothing-measured",
        `No reward was found: ${seen}. An audit needs logs that say what was paid.`,
      );
    }
    const findings = screenRewards({ trajectories: scored });
    for (const { screen, message, evidence } of findings) {
      frame.emit({ event: "finding", screen, message, evidence });
      print(`${style.yellow("!")} ${style.bold(screen)}: ${cleanLine(message)}`);
    }
    const counts = { files, trajectories: trajectories.length, scored: scored.length, judged: judged.length };
    frame.emit({ event: "end", ...counts, skipped: skips.length, findings: findings.length });
    print(
      `${plural(scored.length, "trajectory", "trajectories")} with a reward, ${judged.length} with a known outcome: ${plural(findings.length, "finding")}.`,
    );
    if (judged.length === 0) print("Success is not in these logs, so only screens that need none have looked.");
    return findings.length === 0 ? EXIT.done : EXIT.gate;
  },
});
