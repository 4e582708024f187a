/**
 * PW-OPSD's diagnostic: the teacher's word is forced upon the student at one place, and the student goes on by itself. Does
 * it still get there? A predictor of that is good where its area under the ROC curve is large.
 *
 *     npx tsx research/proofs/forced-teacher.ts --jobs 2
 *
 * Rollouts only, with the bundled models of countdown (one answer that reasons, as published) and household (an answer a
 * turn, twelve turns at most); the teacher is the same model with the solution in front of it. Places are
 * drawn among those where the teacher's likeliest word is not the student's; the student goes on twice from each.
 */
import { defineRecipe, train, type Task, type Trajectory, createRng, defineStrategy } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { shuffle } from "../../packages/base/src/base/rng.ts";
import { agentFor } from "../../packages/core/src/update/agent.ts";
import { collect, teach, type UpdateContext } from "limbeck/update";
import { rollOut } from "limbeck/search";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { differenceWords } from "./matched.ts";

const TASKS = 48;
const PLACES = 4;
const TRIES = 2;
/** Worlds, and the tokens of an answer in each. */
const ROOM: Readonly<Record<string, number>> = { countdown: 64, household: 24 };
/** Likeliest words that the entropy is summed over; the others are next to nothing. */
const WORDS = 64;

interface Case {
  readonly task: Task;
  /** What was done before it, and the answer with the teacher's word in it. */
  readonly actions: readonly string[];
  /** The word's place in the episode, from 0 to 1, and the teacher's entropy there, in nats. */
  readonly position: number;
  readonly entropy: number;
}

interface Tried {
  readonly position: number;
  readonly entropy: number;
  readonly recovered: boolean;
}

type Place = Pick<Case, "position" | "entropy"> & {
  readonly step: number;
  /** Of the answer, and the word that is forced upon it. */
  readonly token: number;
  readonly forced: number;
};

async function run({ arm: env, seed, quick, dir }: OneRun): Promise<readonly Tried[]> {
  let found: readonly Tried[] = [];
  const recipe = defineRecipe({
    info: {
      title: "Forced",
      meaning: "Measures and learns nothing.",
      paper: "Our own",
      confidence: "practice",
      departures: [],
    },
    credit: "grpo",
    settings: {},
    update: async (update) => {
      const episodes = await collect(update);
      const { opinions } = await teach(update, episodes, {
        context: "reference-solution",
        teacher: "self",
        candidates: WORDS,
      });
      const cases: Case[] = [];
      for (const episode of episodes) {
        const rng = createRng(`${seed} places ${episode.id}`);
        const places = placesOf(episode, opinions.get(episode.id) ?? new Map());
        for (const place of shuffle(places, rng).slice(0, quick ? 1 : PLACES)) {
          for (let at = 0; at < TRIES; at += 1)
            cases.push(await caseOf(update, episode, { ...place, room: ROOM[env] as number }, at));
        }
      }
      found = await goOn(update, cases, seed);
    },
  });
  await train({
    recipe,
    env,
    seed,
    steps: 1,
    settings: { tasks: quick ? 2 : TASKS, group: 1 },
    validation: { every: 0 },
    report: { tasks: 1 },
    threads: 1,
    keep: false,
    dir: `${dir}/run`,
  });
  return found;
}

type Opinions = Awaited<ReturnType<typeof teach>>["opinions"];

/** Where the teacher would have said something else. */
function placesOf(
  { steps, streams }: Trajectory,
  said: Opinions extends ReadonlyMap<string, infer Own> ? Own : never,
): Place[] {
  const all = steps.reduce((sum, { span }) => sum + (span === undefined ? 0 : span.end - span.start), 0);
  const places: Place[] = [];
  let before = 0;
  for (const { index, span } of steps) {
    const candidates = said.get(index)?.candidates;
    if (span === undefined) continue;
    const own = streams[span.stream]?.ids.subarray(span.start, span.end) ?? new Int32Array(0);
    for (const [token, id] of own.entries()) {
      before += 1;
      if (candidates === undefined) continue;
      const { count, ids, logprobs } = candidates;
      let [forced, most, entropy] = [-1, Number.NEGATIVE_INFINITY, 0];
      for (let at = token * count; at < (token + 1) * count; at += 1) {
        const logprob = logprobs[at] as number;
        entropy -= Math.exp(logprob) * logprob;
        if (logprob > most) [forced, most] = [ids[at] as number, logprob];
      }
      if (forced !== id) places.push({ step: index, token, forced, entropy, position: before / all });
    }
  }
  return places;
}

/** The student finishes the answer that the teacher's word was put into. */
async function caseOf(
  { model, dialect }: UpdateContext,
  episode: Trajectory,
  place: Place & { readonly room: number },
  at: number,
): Promise<Case> {
  const { task, steps, streams, id } = episode;
  const { step, token, forced, position, entropy } = place;
  const own = steps.find(({ index }) => index === step);
  const span = own?.span;
  if (span === undefined) throw new Error(`Step ${step} of ${id} has no tokens.`);
  const ids = streams[span.stream]?.ids as Int32Array;
  const begun = Int32Array.of(...ids.subarray(span.start, span.start + token), forced);
  const ends = dialect.stop.some((ending) => ending.length === 1 && ending[0] === forced);
  const conversation = model.open({ seed: `${id} ${step} ${token} ${at}` });
  conversation.extend(ids.subarray(0, span.start));
  conversation.extend(begun);
  const room = place.room - begun.length;
  const rest = ends || room < 1 ? [] : (await conversation.sample({ maxTokens: room, stop: dialect.stop })).ids;
  conversation.close();
  const actions = [
    ...steps.filter(({ index }) => index < step).map(({ action }) => action),
    dialect.answer([...begun, ...rest]).trim(),
  ];
  return { task, actions, position, entropy };
}

/** Does again what was done, then what was forced, and lets the student go on. */
async function goOn(update: UpdateContext, cases: readonly Case[], seed: number): Promise<Tried[]> {
  const tried: Tried[] = [];
  const strategy = defineStrategy({
    info: {
      title: "Forced",
      meaning: "Begins with given actions.",
      paper: "Our own",
      confidence: "practice",
      formula: [],
      departures: [],
    },
    options: {},
    create: () => ({
      run: async (scope) => {
        await scope.each(cases, async (own, { task, actions, position, entropy }, at) => {
          const walk = await own.open(task, at);
          for (const action of actions) await walk?.impose(action, "given");
          await walk?.advance();
          if (walk?.success === undefined || walk.success === null) return;
          tried.push({ position, entropy, recovered: walk.success });
        });
      },
    }),
  });
  const tasks = [...new Map(cases.map(({ task }) => [task.id, task])).values()];
  const agent = agentFor(update, { temperature: 1 });
  await rollOut({ env: update.env, agent, tasks, strategy: strategy.create({}), seed: `${seed} forced` });
  return tried;
}

/** The chance that one who recovered has a higher score than one who did not; ties count half. */
function area(tried: readonly Tried[], score: (one: Tried) => number): number {
  const [good, bad] = [true, false].map((wanted) => tried.filter(({ recovered }) => recovered === wanted).map(score));
  let sum = 0;
  for (const high of good ?? []) for (const low of bad ?? []) sum += high > low ? 1 : high === low ? 0.5 : 0;
  return sum / ((good?.length ?? 0) * (bad?.length ?? 0));
}

function report(results: readonly Reported<readonly Tried[]>[], print: (line?: string) => void): void {
  const rows = results.map(({ arm, seed, result }) => ({
    arm,
    seed,
    cases: result.length,
    recovered: mean(result.map(({ recovered }) => Number(recovered))),
    position: area(result, ({ position }) => position),
    entropy: area(result, ({ entropy }) => -entropy),
  }));
  print("| world | seed | cases | recovered | area by position | area by low entropy |");
  print("| --- | ---: | ---: | ---: | ---: | ---: |");
  for (const { arm, seed, cases, recovered, position, entropy } of rows) {
    print(`| ${arm} | ${seed} | ${cases} | ${recovered.toFixed(3)} | ${position.toFixed(3)} | ${entropy.toFixed(3)} |`);
  }
  print();
  for (const world of Object.keys(ROOM)) {
    const own = rows.filter(({ arm }) => arm === world);
    if (own.length === 0) continue;
    print(
      `${world}, position minus entropy: ${differenceWords(own.map(({ position, entropy }) => position - entropy))}.`,
    );
  }
  print();
}

await runStudy<readonly Tried[]>({ name: "forced-teacher", arms: Object.keys(ROOM), run, report });
