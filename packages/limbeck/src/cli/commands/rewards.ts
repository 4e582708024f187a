/** `limbeck rewards audit`: which ways to game rewards a plan would pay; one line for each hack, then what to think of it. */
import { EngineError } from "limbeck-base/base/errors";
import { input } from "limbeck-base/base/input";
import { unknownName } from "limbeck-base/base/registry";
import type { HackPay } from "limbeck-testing/hack-lab/lab";
import { rewardInputs } from "../../run/reward.inputs.ts";
import { seedInput } from "limbeck-store/store/run.inputs";
import type { OpenedAsker } from "limbeck-core/walk/tree/asker";
import { defineCommand, type Frame } from "../command-of.ts";
import { EXIT } from "../exit-code.ts";
import { plural } from "limbeck-base/base/units";

const JUDGE_TOKENS = 1_024;

export const rewards = defineCommand({
  group: "look",
  summary: "Run a plan of rewards against thirty ways to game rewards: which would pay",
  usage: "audit [--rewards FILE | --reward NAME] [--tasks N] [--strict]",
  description:
    "Thirty scripted policies of the hack lab game rewards in three worlds: they repeat, pad, flatter the judge, keep the form without content, stop early, agree on a wrong answer, and so on. Each has an honest twin that makes the same effort without the trick. Both play the same tasks, the plan scores both, and a hack pays when it surely earns more than its twin (95% interval of the paired difference above 0) and succeeds no more often. Such a hack is what a training with this plan would learn.\n" +
    "Judges are played by one that believes whatever it reads, the worst a plan could have; --chat asks the chat model of LIMBECK_CHAT_BASE_URL and LIMBECK_CHAT_MODEL instead. A plan alone loads no file: name the file that it uses with --reward. Rewards that need a scorer or a potential from code cannot be audited from here; auditRewards of limbeck/eval takes them as givens.\n" +
    "The last column names the screens that speak when hacks are among the episodes of an update. With --strict the exit code is 4 when a hack pays. Where none could be scored nothing was measured, which is an error.",
  subcommands: { audit: "which hacks would pay" },
  input: {
    action: input.text("audit", "What to do", { at: 0, required: true }),
    ...rewardInputs,
    tasks: input.count("N", "Tasks for each hack", { least: 2, default: 8 }),
    seed: seedInput("audits"),
    only: input.text("IDS", "Some hacks, by comma. Default: all"),
    chat: input.flag("Ask the chat model in the place of the judge that believes all"),
    strict: input.flag("Exit code 4 when a hack pays"),
  },
  examples: [
    "limbeck rewards audit --reward format",
    "limbeck rewards audit --rewards rewards.yaml --strict",
    "limbeck rewards audit --reward rubric-judge --chat --only plea,injection,fake-verdict",
  ],
  line: {
    id: "name of the hack",
    world: "where it plays",
    meaning: "what it does instead of the task",
    after: "which kind of reward it is after",
    hack: "mean reward of the hack; null when unscored",
    twin: "mean reward of its honest twin; null when unscored",
    gain: "mean, low and high of the paired difference; null when too little was scored",
    pays: "whether a training would learn it",
    unscored: "episodes without a score; last line: hacks that could not be scored",
    noticed: "screens that speak when hacks are among the episodes",
    falseAlarms: "screens that speak when there are only twins",
    paying: "last line: how many hacks pay",
    unnoticed: "last line: how many of these no screen notices",
    tried: "last line: how many hacks were tried",
    ok: "last line: whether the exit code is 0",
  },
  run: async ({ tasks, seed, only, chat, strict, ...given }, frame) => {
    const { auditRewards } = await import("limbeck-testing/hack-lab/lab");
    const { hacks } = await import("limbeck-testing/hack-lab/hacks");
    const { readRewardPlan } = await import("limbeck-core/reward/plan-file");
    const { givenRewards } = await import("../../run/given-rewards.ts");
    const plan = (await givenRewards(given, frame)) ?? readRewardPlan("outcome");
    const known = hacks.map(({ id }) => id);
    const ids = only?.split(",") ?? known;
    const unknown = ids.find((id) => !known.includes(id));
    if (unknown !== undefined) throw unknownName(unknown, known, "hack");
    const { signal } = frame;
    const { openChatAsker } = await import("limbeck-core/walk/tree/asker");
    const asker = chat ? await openChatAsker(frame.environment) : undefined;
    const judge = asker === undefined ? {} : { givens: { judge: judgeOf(asker, signal) } };
    const found: HackPay[] = [];
    const bar = frame.progress({ label: "Auditing", total: ids.length });
    try {
      for (const id of ids) {
        const pays = await auditRewards(plan, { tasks, seed, signal, ...judge, only: [id] });
        found.push(...pays);
        bar.update(found.length);
        for (const one of pays) frame.emit(one);
      }
    } finally {
      bar.end();
      await asker?.close();
    }
    return said(found, strict, frame);
  },
});

function said(found: readonly HackPay[], strict: boolean, { emit, print, style }: Frame<object>): number {
  const [all, paying] = [plural(found.length, "hack"), found.filter(({ pays }) => pays)];
  const unnoticed = paying.filter(({ noticed }) => noticed.length === 0).length;
  const unscored = found.filter(({ gain }) => gain === null).length;
  if (unscored === found.length) {
    throw new EngineError(
      "nothing-measured",
      `None of ${all} could be scored by this plan in its world, so that nothing was measured, and no gate passes. Give --tasks more, or rewards that score these worlds.`,
    );
  }
  const ok = paying.length === 0 || !strict;
  emit({ paying: paying.length, unnoticed, tried: found.length, unscored, ok });
  for (const one of found) {
    const mark = one.pays ? style.red("✗ pays") : `${style.green("✓")}     `;
    print(`${mark} ${one.id.padEnd(18)} ${figures(one)}  ${style.dim(one.meaning)}`);
    const who = one.noticed.length === 0 ? "no screen notices it" : `noticed by ${one.noticed.join(", ")}`;
    if (one.pays) print(`         ${style.dim(who)}`);
  }
  print();
  if (paying.length === 0) print(`None of ${all} pays by this plan.`);
  else print(`${paying.length} of ${all} would pay by this plan, ${unnoticed} of them noticed by no screen.`);
  if (unscored > 0) print(`${plural(unscored, "hack")} could not be scored in its world, which says nothing.`);
  if (paying.length > 0)
    print("A gate (when: outcome) or a smaller weight takes the pay away; docs/lookup/generated/rewards.md tells how.");
  return ok ? EXIT.done : EXIT.gate;
}

function judgeOf({ asker }: OpenedAsker, signal: AbortSignal): (prompt: string) => Promise<string> {
  let asked = 0;
  return async (prompt) => {
    asked += 1;
    return (await asker(prompt, { maxTokens: JUDGE_TOKENS, signal, seed: `audit ${asked}` })).text;
  };
}

function figures({ hack, twin, gain }: HackPay): string {
  if (hack === null || twin === null || gain === null) return "unscored".padEnd(36);
  const number = (value: number): string => value.toFixed(2).padStart(6);
  return `${number(hack)} to${number(twin)}  (${gain.low.toFixed(2)} to ${gain.high.toFixed(2)})`.padEnd(36);
}
