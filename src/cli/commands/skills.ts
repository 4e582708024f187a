/** `limbeck skills`: extract, prove, choose and keep skills. */
import { programOptions } from "../agent/agent-options.ts";
import type { Command, Invocation } from "../command.ts";
import { envOptions, speechOptions } from "../rollout/agent-options.ts";
import { modelNatives } from "../natives.ts";
import { flag, shared, text } from "../options.ts";

/** Each is loaded when it is used, so that help stays quick. */
const parts: Readonly<Record<string, (invocation: Invocation) => Promise<number>>> = {
  list: async (invocation) => (await import("../skills/list.ts")).runList(invocation),
  show: async (invocation) => (await import("../skills/show.ts")).runShow(invocation),
  extract: async (invocation) => (await import("../skills/extract.ts")).runExtract(invocation),
  lift: async (invocation) => (await import("../skills/lift.ts")).runLift(invocation),
  select: async (invocation) => (await import("../skills/select.ts")).runSelect(invocation),
  report: async (invocation) => (await import("../skills/tend.ts")).runReport(invocation),
  tend: async (invocation) => (await import("../skills/tend.ts")).runTend(invocation),
  rollback: async (invocation) => (await import("../skills/decide.ts")).runRollback(invocation),
  ...Object.fromEntries(
    ["promote", "demote", "retire", "quarantine", "release"].map((decision) => [
      decision,
      async (invocation: Invocation) => (await import("../skills/decide.ts")).runDecision(invocation, decision),
    ]),
  ),
};

export const skills: Command = {
  group: "learn",
  summary: "Skills from trajectories: extract, prove their lift, promote, take back",
  usage: "WHAT [NAME…] [--library DIR] [options]",
  description:
    'The library is a folder of SKILL.md files, "skills" unless --library or LIMBECK_SKILLS says otherwise. Every change is kept with who, when and why, and can be taken back. docs/skills.md has the whole story.\n' +
    "extract reads trajectories of the store, groups them by the shape of their goals and keeps what the successful ones of a kind have in common. What too few tasks have shown is kept apart as unproven, what looks like somebody else's instructions as quarantined.\n" +
    'lift plays held-out tasks with a skill, without it and with a placebo of the same length, and stops as soon as it can tell. Skills that do better than both are promoted, harmful ones are retired, all results are kept with the skill. Exit code 4 when a skill that was in use harms or has no lift, or, with --strict, when one could not be decided: a gate for continuous integration. --policy chat asks a bare model, without your agent\'s tools. --agent "COMMAND {prompt}" runs your own agent, with its tools and its model, on the tasks of --dataset: the skill stands in {prompt} (or on standard input), and the outcome is that of limbeck agent run: --check, the file named in LIMBECK_OUTCOME, the answer compared with its last line, or its exit code. With --policy too the proxy is its model and gives it the skill. measureLift in code does the same with any function (docs/skills.md).',
  options: {
    library: shared.library,
    by: text("NAME", "Who decides, for the history. Default: the user's name"),
    why: text("TEXT", "Why, for the history"),
    yes: flag("release: let it pass although the screen still finds something; needs --why"),
    to: text("N", "rollback: the change to go back to. Default: the one before the last"),
    status: text("STATUS", "list: only these: candidate, unproven, active, advisory, archived, quarantined"),
    run: text("ID", "extract: only this run of the store"),
    analyst: text("ID", "extract: statistics, or model (a chat model)", () => ["statistics", "model"]),
    least: text("N", "extract: tasks that must have shown a skill. Default: 2"),
    protocol: flag("extract: also write PROTOCOL.md, causes of failures as a decision tree"),
    goal: text("TEXT", "select: what is to be done"),
    state: text("TEXT", "select: what the agent sees"),
    budget: text("TOKENS", "select: tokens of all chosen texts. Default: 400"),
    outcome: text("WHAT", "report: success or failure", () => ["success", "failure"]),
    without: flag("report: the skill fitted, and the episode went without it"),
    trajectory: text("ID", "report: the episode"),
    policy: text(
      "NAME|DIR",
      "lift: a model folder, bundled, or chat (a bare chat model; your agent's model with --agent)",
    ),
    agent: text("COMMAND", "lift: your own agent, run for each task of --dataset; {prompt} is the task and the skill"),
    ...programOptions("lift --agent: "),
    timeout: text("TIME", "lift --agent: time of a run. Default: 10m; with --policy 60s until its next question"),
    ...envOptions,
    dataset: text(
      "FILE",
      'lift: questions in place of a world, JSON lines with "prompt" and "answer" (which --agent does not need)',
    ),
    judge: flag("lift: the chat model says whether an answer of the dataset is right"),
    tasks: text("N", "lift: held-out tasks for each skill at most. Default: 240"),
    looks: text("N", "lift: how often it is looked whether it can stop. Default: 5"),
    worthwhile: text("SHARE", "lift: a lift surely below this is none. Default: 0.05"),
    template: text("ID", "lift: how a skill stands in the prompt. Default: compact", () => ["compact", "published"]),
    seed: text("N", "lift: which of the possible tests. Default: 0"),
    strict: flag("lift: a skill that could not be decided fails the gate too"),
    "dry-run": flag("extract, lift: say what would be done and change nothing"),
    ...speechOptions,
  },
  arity: [1, 100],
  subcommands: {
    list: "all skills with status, evidence and lift",
    show: "one skill: text, evidence, statistics, lift, history",
    extract: "from stored trajectories into the library",
    lift: "prove skills on held-out tasks; promote and retire by the result",
    select: "which skills fit a goal, and what goes into the prompt",
    report: "say how an episode with a skill went",
    tend: "demote, bring back and retire by use",
    promote: "one step up, by hand",
    demote: "one step down",
    retire: "out of use",
    quarantine: "keep it from use until somebody has looked",
    release: "somebody has looked: it is screened again and may be tested; nothing else leads out of quarantine",
    rollback: "take the last change back, or go to a number of the history",
  },
  examples: [
    "limbeck skills extract --run seen",
    "limbeck skills list",
    "limbeck skills lift --env household --env-set dial=tiny --split valid --policy bundled --temperature 0.4",
    'limbeck skills lift --agent "node agent.mjs {prompt}" --dataset questions.jsonl',
    "limbeck skills show take-heat-microwave-move",
    'limbeck skills select --goal "put a hot egg in fridge."',
    'limbeck skills rollback take-heat-microwave-move --why "wrong on Mondays"',
  ],
  jsonFields: {
    event: '"skill", "problem", "look", "lift", "together", "choice", "change", "end"',
    name: "name of the skill",
    description: "skill: one line",
    level: "skill: general, task or step",
    status: "skill, lift, change: what it is now",
    version: "skill: hash of its text",
    when: "skill: goals, words and state that it fits",
    text: "skill: the advice; choice: what goes into the prompt",
    evidence: "skill: trajectories and steps it rests on",
    links: "skill in a list: number of these",
    support: "skill: episodes of its kind that succeeded and failed when it was extracted",
    groundedness: "skill: how much of it was carried out in its evidence, less what was only said",
    statistics: "skill: uses, successes, failures, withoutUses, withoutSuccesses, utility, lastUsed",
    lift: "skill: the last measurement",
    contradicts: "skill: names of skills that say the opposite",
    concerns: "skill: why the screen stopped it",
    source: "skill: which analyst, or who",
    history: "skill: changes with number, at, by, action, why, status and version",
    outcome: "skill of an extraction: added, merged or known",
    path: "problem: the file",
    problem: "problem: why it cannot be read",
    episodes: "end: episodes read, or played",
    succeeded: "end: how many of them succeeded",
    yielding: "end: episodes that a skill rests on",
    nothing: "end: why the others gave nothing, by reason",
    shapes: "end: different shapes of goals",
    skills: "end: number of skills; choice: the chosen ones",
    candidates: "choice: all that were weighed",
    tokens: "choice: tokens of the chosen texts",
    look: "look: which one",
    looks: "look, lift: of how many",
    verdict: "look, lift: helps, harms, no-lift or cannot-tell",
    decision: "lift, change: what was decided; null where nothing was",
    pairs: "look, lift, together: tasks scored with and without",
    unscored: "lift, together: tasks that an arm could not score",
    success: "lift, together: share solved with skill, bare and placebo",
    overBare: "look, lift, together: value, low and high of the difference to nothing",
    overPlacebo: "look, lift, together: the same to the placebo",
    placeboOverBare: "lift, together: what the placebo alone does",
    promptTokens: "lift: tokens of the skill's text",
    tokensPerPoint: "lift: tokens for each point of success over the placebo; null without lift",
    saved: "lift: tasks that were not needed",
    gate: "end of lift: passed or failed",
    changed: "end: number of skills that were changed",
    durationMs: "end: time taken",
  },
  natives: (words) => {
    const [what] = words.positionals;
    if (what === "extract") return ["duckdb"];
    return what === "lift" ? modelNatives(words, ["policy"]) : [];
  },
  run: async (invocation) => {
    const { lookUp } = await import("../../base/index.ts");
    const [what = ""] = invocation.positionals;
    return await lookUp(parts, what, "part of limbeck skills")(invocation);
  },
};
