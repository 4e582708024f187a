/**
 * What is it worth to tell the bundled model of household what was learnt? Nothing is trained; all texts are the statistics'.
 *
 *     npx tsx research/proofs/told.ts --jobs 16
 *
 * abstraction (SAGE): a second attempt with a plan of the first, against a second attempt without.
 * road (ROAD): a protocol of causes of failures in the prompt, over three rounds, on the same unseen tasks.
 * spark (SPARK): skills that were carried out against skills that were only planned, and whether the index orders them alike.
 * pando (PANDO): a stream of 200 tasks with rules of single episodes, and a planted harmful rule.
 */
import { rollout, search, type Trajectory } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { tInterval } from "limbeck/eval";
import { createStatisticsAnalyst, buildProtocol, extractSkills } from "limbeck/skill";
import { workflowText } from "../../packages/core/src/skill/statistics/wording.ts";
import { groundedness } from "../../packages/core/src/skill/extract/groundedness.ts";
import type { Protocol } from "../../packages/core/src/skill/extract/protocol.ts";
import { NO_STATISTICS } from "../../packages/core/src/skill/library/library-skill.ts";
import type { LibraryEntry } from "../../packages/core/src/skill/library/index-file.ts";
import { statusByUse } from "../../packages/core/src/skill/lifecycle/lifecycle.ts";
import { createSelector } from "../../packages/recorder/src/selection/select.ts";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";
import { entryOf, rankCorrelation, slope, solved, steps, telling, tokensOf, withPlayer } from "./told-player.ts";

type Result = Readonly<Record<string, number | readonly number[]>>;

async function abstraction(seed: number, quick: boolean): Promise<Result> {
  const second = async (plan: "own" | "none") => {
    const { outcomes } = await search({
      env: "household",
      split: "test",
      offset: seed * 100,
      tasks: quick ? 1 : 64,
      temperature: 0.4,
      answerTokens: 24,
      seed,
      threads: 1,
      search: "self-abstraction",
      searchOptions: { plan },
      ...(quick ? { maxSteps: 3 } : {}),
    });
    return {
      solved: mean(outcomes.map(({ episode }) => Number(episode.success === true))),
      steps: mean(outcomes.map(({ episode }) => episode.steps.length)),
    };
  };
  const [planned, blind] = [await second("own"), await second("none")];
  return {
    planned: planned.solved,
    blind: blind.solved,
    plannedSteps: planned.steps,
    blindSteps: blind.steps,
  };
}

async function road(seed: number, quick: boolean): Promise<Result> {
  const [tasks, seen] = quick ? [1, 1] : [64, 48];
  return await withPlayer(quick, async (play) => {
    const success: number[] = [];
    const cited: number[] = [];
    let protocol: Protocol | undefined;
    for (let round = 0; round <= 3; round += 1) {
      const entries = (protocol?.branches ?? []).map((branch, at) => entryOf(`b${at}`, [branch.goal], branch.advice));
      const tell = protocol === undefined ? {} : { tell: telling(createSelector(entries)) };
      success.push(solved(await play({ split: "test", offset: seed * 100, tasks, seed, ...tell })));
      if (protocol !== undefined) cited.push(...protocol.branches.map(({ links }) => links.length));
      if (round === 3) break;
      const offset = seed * 1_000 + round * seen;
      protocol = buildProtocol(
        await play({ split: "train", offset, tasks: seen, seed: `${seed} ${round}`, ...tell }),
        protocol,
      );
    }
    return {
      success,
      branches: protocol?.branches.length ?? 0,
      leastCited: cited.length === 0 ? 0 : Math.min(...cited),
    };
  });
}

/** A skill of each task by how much of it was carried out: its later part was only said. */
async function spark(seed: number, quick: boolean): Promise<Result> {
  const tasks = quick ? 1 : 48;
  const shares = [1, 0.75, 0.5, 0.25, 0];
  const asked = { split: "test", offset: seed * 100, tasks };
  const { trajectories: shown } = await rollout({ ...asked, env: "household", policy: "expert", group: 1, seed });
  const other = (at: number): Trajectory => shown[(at + 7) % shown.length] as Trajectory;
  return await withPlayer(quick, async (play) => {
    const lift: number[] = [];
    const index: number[] = [];
    for (const share of shares) {
      const texts = new Map<string, string>();
      const grounded = shown.map((trajectory, at) => {
        const actions = trajectory.steps.map(({ action }) => action);
        const done = Math.round(share * actions.length);
        // What was planned names places and things of another errand: nobody carried it out here.
        const planned = other(at)
          .steps.map(({ action }) => action)
          .slice(0, actions.length - done);
        const text = workflowText([...actions.slice(0, done), ...planned]);
        texts.set(trajectory.task.id, text);
        const evidence = {
          ...trajectory,
          steps: trajectory.steps.map((step) => ({ ...step, reply: { role: "assistant" as const, content: text } })),
        };
        return groundedness(text, [trajectory.task.goal], [evidence]);
      });
      index.push(mean(grounded));
      lift.push(solved(await play({ ...asked, seed, tell: ({ id }) => texts.get(id) })));
    }
    return { bare: solved(await play({ ...asked, seed })), lift, index, order: rankCorrelation(index, lift) };
  });
}

const HARMFUL = "Do not take anything. Useless: open. This worked: look; look; look; look.";

async function pando(seed: number, quick: boolean): Promise<Result> {
  const total = quick ? 2 : 200;
  const analyst = createStatisticsAnalyst();
  return await withPlayer(quick, async (play) => {
    const uses = new Map<string, { successes: number; failures: number }>();
    const known = new Map<string, LibraryEntry>([["harmful", entryOf("harmful", [], HARMFUL, "active", "general")]]);
    const done: Trajectory[] = [];
    const told: number[] = [];
    while (done.length < total) {
      const harmful = known.get("harmful")?.status;
      const selector = createSelector([...known.values()]);
      // While the planted one is offered every episode is judged before the next.
      const tasks = harmful === "archived" ? Math.min(4, total - done.length) : 1;
      const tell = telling(selector);
      const played = await play({
        split: "train",
        offset: seed * 1_000 + done.length,
        tasks,
        seed: `${seed} ${done.length}`,
        tell,
      });
      for (const one of played) {
        const { goal } = one.task;
        told.push(selector.select({ goal }).skills.length);
        for (const { name } of selector.select({ goal }).skills) {
          const before = uses.get(name) ?? { successes: 0, failures: 0 };
          const won = Number(one.success === true);
          const now = { successes: before.successes + won, failures: before.failures + 1 - won };
          uses.set(name, now);
          const entry = known.get(name) as LibraryEntry;
          const statistics = { ...NO_STATISTICS, ...now, uses: now.successes + now.failures };
          known.set(name, { ...entry, statistics, status: statusByUse({ status: entry.status, statistics }) });
        }
      }
      done.push(...played);
      // One success is enough for a rule; what is a place in it is told by all that were seen.
      const won = done.filter(({ success }) => success === true);
      if (!played.some(({ success }) => success === true)) continue;
      const { skills } = await extractSkills(won, { analyst, leastTasks: 1 });
      for (const { name, when, text, status } of skills) {
        if (status === "quarantined") continue;
        const before = known.get(name);
        known.set(name, before === undefined ? entryOf(name, when.goals, text) : { ...before, when, text });
      }
    }
    const bare = await play({ split: "train", offset: seed * 1_000, tasks: total, seed: `${seed} bare` });
    const rest = done.slice(10);
    return {
      harmfulUses: known.get("harmful")?.statistics.uses ?? 0,
      rules: known.size - 1,
      told: mean(told),
      stepsSlope: slope(rest.map((one) => one.steps.length)),
      tokensSlope: slope(rest.map(tokensOf)),
      successSlope: slope(rest.map(({ success }) => Number(success === true))),
      firstSolved: solved(done.slice(0, 50)),
      lastSolved: solved(done.slice(-50)),
      firstSteps: steps(done.slice(0, 50)),
      lastSteps: steps(done.slice(-50)),
      bareSolved: solved(bare),
      streamSolved: solved(done),
      bareSteps: steps(bare),
      streamSteps: steps(done),
    };
  });
}

const ARMS: Readonly<Record<string, (seed: number, quick: boolean) => Promise<Result>>> = {
  abstraction,
  road,
  spark,
  pando,
};

async function run({ arm, seed, quick }: OneRun): Promise<Result> {
  return await (ARMS[arm] as (typeof ARMS)[string])(seed, quick);
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  for (const arm of Object.keys(ARMS)) {
    const own = results.filter((one) => one.arm === arm).map(({ result }) => result);
    const [first] = own;
    if (first === undefined) continue;
    print(`## ${arm}, ${own.length} seeds`);
    const numbers = (name: string, at?: number): number[] =>
      own.map((one) => (at === undefined ? one[name] : (one[name] as readonly number[])[at]) as number);
    for (const [name, value] of Object.entries(first)) {
      const places = Array.isArray(value) ? [...value.keys()] : [undefined];
      for (const at of places) {
        const { mean: centre, low, high } = tInterval(numbers(name, at));
        print(
          `- ${name}${at === undefined ? "" : ` ${at}`}: ${centre.toFixed(4)} [${low.toFixed(4)}, ${high.toFixed(4)}]`,
        );
      }
    }
    const against = (left: string, right: string, from?: number, to?: number): void =>
      print(
        `- ${left} minus ${right}: ${differenceWords(numbers(left, from).map((one, at) => one - (numbers(right, to)[at] as number)))}`,
      );
    if (arm === "abstraction") {
      against("planned", "blind");
      against("plannedSteps", "blindSteps");
    }
    if (arm === "road") for (const round of [1, 2, 3]) against("success", "success", round, 0);
    if (arm === "spark") against("lift", "lift", 0, 4);
    if (arm === "pando") {
      against("streamSolved", "bareSolved");
      against("streamSteps", "bareSteps");
    }
    print();
  }
}

await runStudy<Result>({ name: "told", arms: Object.keys(ARMS), run, report });
