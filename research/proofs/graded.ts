/**
 * Rewards that grade: arms against plain groups where a world judges more than the end. Each study has a start of its own
 * for every seed, all arms of a seed begin with it, and all are measured on tasks that chose nothing.
 *
 *     npx tsx research/proofs/graded.ts --jobs 16                        all studies, five seeds
 *     npx tsx research/proofs/graded.ts --arms draft --seeds 31 --jobs 1   one study, one seed
 *     npx tsx research/proofs/graded.ts --quick                          one update of every arm: none may fail
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { evaluate, train } from "limbeck";
import { mean } from "../../packages/base/src/base/statistics/summary.ts";
import { bundledModel } from "limbeck/local";
import { bundledNames } from "../../packages/policy/src/policy/local/bundled-model.ts";
import { bundledStart } from "../../packages/policy/src/policy/starts.ts";
import { warmUp } from "limbeck/training";
import { runStudy, type OneRun, type Reported } from "./each-run.ts";
import { gradedStudies, type GradedStudy } from "./graded/studies.ts";
import { differenceWords } from "./matched.ts";

const TASKS = 100;
/** The first and the last updates of a training, whose means are compared. */
const LAST = 8;

/** What a policy does on held-out tasks, by measure. */
type Figures = Readonly<Record<string, number>>;

interface ArmResult {
  readonly after: Figures;
  /** Success of each update's episodes, whose mean is the area. */
  readonly curve: readonly number[];
  /** Watched metrics of each update. */
  readonly metrics: Readonly<Record<string, readonly number[]>>;
  /** Of a processor. */
  readonly seconds: number;
}

interface Result {
  readonly start: Figures;
  readonly warmUp: { readonly updates: number; readonly seconds: number } | null;
  readonly arms: Readonly<Record<string, ArmResult>>;
  /** Scripted agents of the world on the same tasks. */
  readonly scripted: Readonly<Record<string, Figures>>;
}

async function run({ arm: name, seed, quick, dir, kept, split, start: given }: OneRun): Promise<Result> {
  const study = gradedStudies[name] as GradedStudy;
  // A start that is made anew is the same for the same seed, so that arms which are there already stay comparable.
  const start = given === undefined ? await startOf(study, { seed, quick, dir }) : await startIn(given);
  const play = async (policy: string, temperature = study.temperature ?? 0.4): Promise<Figures> => {
    const { trajectories } = await evaluate({
      ...world(study),
      policy,
      split,
      tasks: quick ? 2 : (study.heldOut ?? TASKS),
      temperature,
      answerTokens: start.answerTokens,
      seed,
      threads: 1,
    });
    return Object.fromEntries(Object.entries(study.measures).map(([measure, of]) => [measure, of(trajectories)]));
  };
  const { start: before = await play(start.model), arms } = await readKept(kept);
  const scripted: Record<string, Figures> = {};
  for (const agent of study.scripted ?? []) scripted[agent] = await play(agent, 1);
  const keep = async (): Promise<void> =>
    await writeFile(kept, JSON.stringify({ start: before, warmUp: start.warmUp, arms, scripted } satisfies Result));
  await keep();
  for (const [arm, { settings, updates = study.updates, ...asked }] of Object.entries(study.arms)) {
    if (arms[arm] !== undefined) continue;
    const begun = process.cpuUsage();
    const curve: number[] = [];
    const metrics: Record<string, number[]> = {};
    const trained = await train({
      ...world(study),
      ...asked,
      model: start.model,
      seed,
      steps: quick ? 1 : updates,
      settings: {
        tasks: quick ? 1 : 4,
        group: quick ? 4 : 8,
        learningRate: 2e-4,
        answerTokens: start.answerTokens,
        ...settings,
      },
      validation: { every: 0 },
      report: { tasks: 1 },
      threads: 1,
      keep: false,
      dir: join(dir, arm),
      onEvent: (event) => {
        if (event.kind !== "update") return;
        curve.push(event.success);
        for (const watched of study.watch) (metrics[watched] ??= []).push(event.metrics[watched] ?? Number.NaN);
      },
    });
    const after = await play(trained.model);
    const { user, system } = process.cpuUsage(begun);
    arms[arm] = { after, curve, metrics, seconds: Math.round((user + system) / 1e6) };
    await keep();
  }
  return { start: before, warmUp: start.warmUp, arms, scripted };
}

interface Kept {
  readonly start?: Figures;
  readonly arms: Record<string, ArmResult>;
}

/** What a run that was cut off had finished. */
async function readKept(file: string): Promise<Kept> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  return text === undefined ? { arms: {} } : (JSON.parse(text) as Kept);
}

const world = ({ env, envOptions = {} }: GradedStudy) => ({ env, envOptions });

interface Start {
  readonly model: string;
  readonly answerTokens: number;
  readonly warmUp: Result["warmUp"];
}

/** A model that is there; a warm-up has left the room that its answers need. */
async function startIn(model: string): Promise<Start> {
  const card = await readFile(join(model, "warm-up.json"), "utf8").catch(() => "{}");
  const { answerTokens = 24 } = JSON.parse(card) as { readonly answerTokens?: number };
  return { model, answerTokens, warmUp: null };
}

/** The bundled model of the world; where there is none, one that the world's expert has shown the way. */
async function startOf(
  study: GradedStudy,
  { seed, quick, dir }: Pick<OneRun, "seed" | "quick" | "dir">,
): Promise<Start> {
  const { env, answerTokens, warm } = study;
  const bundled =
    typeof env === "string" && warm === undefined ? bundledNames.find((known) => known === env) : undefined;
  if (bundled !== undefined) {
    const room = answerTokens ?? bundledStart(bundled)?.answerTokens ?? 24;
    return { model: bundledModel(bundled), answerTokens: room, warmUp: null };
  }
  const made = await warmUp({
    ...world(study),
    ...(study.demonstrator === undefined ? {} : { demonstrator: study.demonstrator }),
    out: join(dir, "start"),
    seed,
    until: 0.25,
    advice: 0,
    threads: 1,
    evaluateEvery: 10,
    steps: 120,
    ...warm,
    ...(quick ? { steps: 1, demonstrations: 8, tasks: 1 } : {}),
  });
  return {
    model: made.model,
    answerTokens: made.answerTokens,
    warmUp: { updates: made.updates, seconds: Math.round(made.seconds) },
  };
}

function report(results: readonly Reported<Result>[], print: (line?: string) => void): void {
  for (const name of new Set(results.map(({ arm }) => arm))) {
    const own = results.filter(({ arm }) => arm === name).map(({ result }) => result);
    const { rows, measures, arms, watch, reach = {} } = gradedStudies[name] as GradedStudy;
    const [base = "", ...others] = Object.keys(arms);
    print(`## ${name}`);
    print();
    print(
      `${rows}. ${own.length} seeds; warm-up ${own.map(({ warmUp: made }) => made?.updates ?? 0).join(", ")} updates.`,
    );
    print();
    print(`| | ${Object.keys(measures).join(" | ")} | area |`);
    print(`| --- |${" ---: |".repeat(Object.keys(measures).length + 1)}`);
    const line = (title: string, figures: readonly Figures[], area: string): void =>
      print(
        `| ${title} | ${Object.keys(measures)
          .map((measure) => mean(figures.map((one) => one[measure] as number)).toFixed(3))
          .join(" | ")} | ${area} |`,
      );
    line(
      "start",
      own.map(({ start }) => start),
      "",
    );
    for (const agent of Object.keys(own[0]?.scripted ?? {})) {
      line(
        agent,
        own.map(({ scripted }) => scripted[agent] as Figures),
        "",
      );
    }
    const area = (result: Result, arm: string): number => mean(result.arms[arm]?.curve ?? []);
    for (const arm of [base, ...others]) {
      line(
        arm,
        own.map((result) => result.arms[arm]?.after as Figures),
        mean(own.map((one) => area(one, arm))).toFixed(3),
      );
    }
    print();
    bySeed(
      results.filter(({ arm }) => arm === name),
      Object.keys(measures),
      print,
    );
    const last = (result: Result, arm: string, metric: string): number =>
      mean((result.arms[arm]?.metrics[metric] ?? []).filter(Number.isFinite).slice(-LAST));
    for (const arm of others) {
      for (const measure of Object.keys(measures)) {
        const differences = own.map(
          (one) => (one.arms[arm]?.after[measure] as number) - (one.arms[base]?.after[measure] as number),
        );
        print(`- ${measure}, ${arm} minus ${base}: ${differenceWords(differences)}`);
      }
      print(`- area, ${arm} minus ${base}: ${differenceWords(own.map((one) => area(one, arm) - area(one, base)))}`);
      for (const metric of watch) {
        const differences = own.map((one) => last(one, arm, metric) - last(one, base, metric));
        if (differences.every(Number.isFinite))
          print(`- ${metric} of the last updates, ${arm} minus ${base}: ${differenceWords(differences)}`);
      }
    }
    for (const arm of [base, ...others]) {
      for (const agent of Object.keys(own[0]?.scripted ?? {})) {
        for (const measure of Object.keys(measures)) {
          const differences = own.map(
            ({ arms: all, scripted }) => (all[arm]?.after[measure] as number) - (scripted[agent]?.[measure] as number),
          );
          print(`- ${measure}, ${arm} minus ${agent}: ${differenceWords(differences)}`);
        }
      }
      for (const metric of watch) {
        const rises = own.map(({ arms: all }) => {
          const curve = (all[arm]?.metrics[metric] ?? []).filter(Number.isFinite);
          return mean(curve.slice(-LAST)) - mean(curve.slice(0, LAST));
        });
        if (rises.every(Number.isFinite))
          print(`- ${metric}, last minus first updates, ${arm}: ${differenceWords(rises)}`);
      }
      for (const [metric, wanted] of Object.entries(reach)) {
        const firsts = own.map((one) => firstAbove(one.arms[arm]?.metrics[metric] ?? [], wanted) ?? "never");
        print(`- ${metric} of three updates at least ${wanted} for the first time, ${arm}: ${firsts.join(", ")}`);
      }
      for (const measure of Object.keys(measures)) {
        const differences = own.map(
          ({ start, arms: all }) => (all[arm]?.after[measure] as number) - (start[measure] as number),
        );
        print(`- ${measure}, ${arm} minus start: ${differenceWords(differences)}`);
      }
    }
    print();
  }
}

/** Every figure of every seed, so that nobody need trust a mean. */
function bySeed(
  results: readonly Reported<Result>[],
  measures: readonly string[],
  print: (line?: string) => void,
): void {
  print(`| seed | | ${measures.join(" | ")} | area |`);
  print(`| ---: | --- |${" ---: |".repeat(measures.length + 1)}`);
  for (const { seed, result } of results) {
    const { start, arms, scripted } = result;
    const rows: readonly (readonly [string, Figures, string])[] = [
      ["start", start, ""],
      ...Object.entries(scripted).map(([agent, figures]) => [agent, figures, ""] as const),
      ...Object.entries(arms).map(([arm, { after, curve }]) => [arm, after, mean(curve).toFixed(3)] as const),
    ];
    for (const [title, figures, area] of rows)
      print(`| ${seed} | ${title} | ${measures.map((one) => figures[one]?.toFixed(3)).join(" | ")} | ${area} |`);
  }
  print();
}

/** The first of three updates whose mean is at least that. */
function firstAbove(curve: readonly number[], wanted: number): number | undefined {
  const at = curve.findIndex((_, first) => first + 3 <= curve.length && mean(curve.slice(first, first + 3)) >= wanted);
  return at < 0 ? undefined : at + 1;
}

await runStudy<Result>({ name: "graded", arms: Object.keys(gradedStudies), run, report });
