/** From a group of episodes to questions and true answers, in every kind of writing. Each answer begins with what is to be held of each step. */
import { pick } from "../../packages/base/src/base/rng.ts";
import type { Rng, Trajectory } from "limbeck";
import { briefSteps, type BriefStep } from "../../packages/core/src/skill/writer/brief-answer.ts";
import { LONGEST_WAY, type Example, type Made, type Studied } from "./example.ts";
import { actionOf, critiqueLines, momentOf, reasonLines, recordLines, skillWriting } from "./questions.ts";
import { cleanWay, groundOf, judgeSteps, type Ground, type Judged, type Waste } from "./truth.ts";
import { drawVoice, say, sayReason, warn, type Flaw } from "./words.ts";
import { verdictExample } from "./verdicts.ts";
import type { WriterWorld } from "./worlds.ts";

const LONGEST_COMMAND = 400;

export async function study(world: WriterWorld, group: readonly Trajectory[]): Promise<Studied | undefined> {
  const [first] = group;
  if (first === undefined) return undefined;
  const ground = groundOf(world, first.task);
  if (!Number.isFinite((await ground.after([])).remaining)) return undefined;
  const [winner] = group.filter(({ success }) => success === true).toSorted((a, b) => a.steps.length - b.steps.length);
  const way = winner === undefined ? undefined : await cleanWay(ground, winner);
  return { world, ground, group, way };
}

/** Examples of each episode that differs from those before it; lost ones have more to tell. */
export async function examplesOf(
  studied: Studied,
  rng: Rng,
  /** One episode alone, with an example of every kind. */
  { only }: { readonly only?: string } = {},
): Promise<Example[]> {
  const { world, ground, group } = studied;
  const examples: Example[] = [];
  const met = new Set<string>();
  // So many of a kind for an episode: a chance for less than one.
  const times = (count: number): number => (only !== undefined ? 1 : Math.floor(count + rng.float()));
  for (const trajectory of only === undefined ? group : group.filter(({ id }) => id === only)) {
    const actions = trajectory.steps.map(actionOf);
    const key = JSON.stringify(actions);
    if (met.has(key) || actions.length === 0 || actions.some(({ length }) => length > LONGEST_COMMAND)) continue;
    met.add(key);
    const judged = await judgeSteps(ground, trajectory);
    const makers: readonly (readonly [number, () => Promise<Made | undefined> | Made | undefined])[] = [
      [1.5, () => skillExample(studied, trajectory, judged, rng)],
      [1, () => reflectionExample(studied, trajectory, judged, rng)],
      [1, () => correctionExample(trajectory, judged, rng)],
      [0.6, () => reasonExample(ground, trajectory, judged, rng)],
      [1, () => verdictExample(studied, trajectory, rng)],
      [0.5, () => critiqueExample(ground, trajectory, judged, rng)],
    ];
    for (const [count, make] of makers) {
      for (let time = times(count); time > 0; time -= 1) {
        const one = await make();
        if (one !== undefined) examples.push({ world: world.id, trajectory: trajectory.id, ...one });
      }
    }
  }
  return examples;
}

const MARKS = { refused: "x", useless: "=", leadsBack: "<", tried: "-" } as const satisfies Record<Waste, string>;

/** What is to be held of each step: it brought nearer, was refused, changed nothing, led back, came too late, or was merely wrong. */
function evidenceOf(judged: readonly Judged[], { steps }: Trajectory): string {
  return judged
    .map(({ right, waste, open }, at) => {
      const mark = right ? "+" : waste !== undefined ? MARKS[waste] : open ? "-" : ".";
      return `a${steps[at]?.index}${mark}`;
    })
    .join(" ");
}

/** The name of a step with this action: the sibling's in the same state first. */
function nameOf(action: string, steps: readonly BriefStep[], from?: string): string | undefined {
  const same = steps.filter((step) => step.action === action);
  const there = from === undefined ? undefined : same.find((step) => step.name.startsWith("b") && step.from === from);
  return (there ?? same.find(({ name }) => name.startsWith("b")) ?? same[0])?.name;
}

/** Of every state that the episode came back to, the last departure alone. */
function withoutLoops(steps: readonly BriefStep[]): BriefStep[] {
  const kept: BriefStep[] = [];
  for (let at = 0; at < steps.length;) {
    const last = steps.findLastIndex(({ from }) => from === steps[at]?.from);
    kept.push(steps[last] as BriefStep);
    at = last + 1;
  }
  return kept;
}

/** The way that won, without loops where it wins without them. */
async function wayOf(ground: Ground, steps: readonly BriefStep[], won: boolean): Promise<readonly BriefStep[]> {
  const sibling = steps.filter(({ name }) => name.startsWith("b"));
  const whole = sibling.length > 0 ? sibling : won ? steps : [];
  for (const way of [withoutLoops(whole), whole]) {
    const wins = way.length > 0 && way.length <= LONGEST_WAY;
    if (wins && (await ground.after(way.map(({ action }) => action))).won) return way;
  }
  return [];
}

async function skillExample(
  { group, ground }: Studied,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const most = rng.int(4);
  const voice = drawVoice(rng);
  const won = trajectory.success === true;
  const { brief = [] } = await skillWriting(trajectory, group, most);
  const steps = briefSteps(brief);
  const own = steps.filter(({ name }) => name.startsWith("a"));
  const way = await wayOf(ground, steps, won);
  const right = new Set(way.map(({ action }) => action));
  // What the replay says and the record shows.
  const waste = judged.map(({ waste: found }, at) =>
    found !== undefined && isShown(own, at, found) ? found : undefined,
  );
  const wasted = (kind: Waste): string[] => {
    const found = new Map<string, string>();
    for (const [at, { action }] of judged.entries()) {
      if (waste[at] === kind && !right.has(action) && !found.has(action)) found.set(action, own[at]?.name ?? "");
    }
    return [...found.values()].slice(0, way.length === 0 ? 2 : 1);
  };
  const better = judged.map((step, at) =>
    step.right || !step.open || step.better === undefined || step.better === step.action
      ? undefined
      : nameOf(step.better, steps, own[at]?.from),
  );
  const wrong = better.findIndex((name, at) => name !== undefined && !right.has(judged[at]?.action ?? ""));
  const parts = won
    ? []
    : [
        say(voice, "refused", wasted("refused")),
        say(voice, "useless", wasted("useless")),
        say(voice, "leadsBack", wasted("leadsBack")),
        say(voice, "not", wrong < 0 ? [] : [own[wrong]?.name ?? ""]),
        say(voice, "but", wrong < 0 ? [] : [better[wrong] ?? ""]),
      ];
  const told = say(
    voice,
    "worked",
    way.map(({ name }) => name),
  );
  let text = [...parts, told].filter(Boolean).join(" ");
  if (text === "" && won) return undefined;
  if (text === "") {
    const tried = own.filter(({ action }, at) => own.findIndex((one) => one.action === action) === at);
    text = say(
      voice,
      "tried",
      tried.slice(0, 3).map(({ name }) => name),
    );
  }
  const hints = judged.flatMap((step, at) => {
    const name = own[at]?.name ?? "";
    const [now, found] = [better[at], waste[at]];
    if (step.right) return [];
    if (now !== undefined) return [`${name} ${say(voice, "now", [now])}`];
    return found === undefined || found === "tried" ? [] : [`${name} ${warn(name, found)}`];
  });
  const answer = [evidenceOf(judged, trajectory), text, ...hints.slice(0, most)].join("\n");
  return { kind: "skill", brief, answer, most };
}

function isShown(own: readonly BriefStep[], at: number, waste: Waste): boolean {
  const { refused = false, unmoved = false, to } = own[at] ?? {};
  if (waste === "refused") return refused;
  if (waste === "useless") return unmoved;
  return to !== undefined && own.slice(0, at + 1).some(({ from }) => from === to);
}

function reflectionExample(
  { world }: Studied,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Made | undefined {
  if (trajectory.success === true || !world.tellable) return undefined;
  const at = judged.findIndex((step) => !step.right && step.open && step.better !== undefined);
  const step = judged[at];
  if (step?.better === undefined || step.better === step.action) return undefined;
  const brief = recordLines(trajectory);
  const advice = say(drawVoice(rng), "now", [nameOf(step.better, briefSteps(brief)) ?? step.better]);
  const answer = `${evidenceOf(judged, trajectory)}\na${trajectory.steps[at]?.index} ${advice}`;
  return { kind: "reflection", brief, answer };
}

function correctionExample(trajectory: Trajectory, judged: readonly Judged[], rng: Rng): Made | undefined {
  const known = judged.flatMap(({ better, right }, at) => (better === undefined ? [] : [{ at, better, right }]));
  const wrong = known.filter(({ right }) => !right);
  // Corrections are asked for where something was wrong.
  const chosen = pick(wrong.length > 0 && rng.float() < 0.8 ? wrong : known, rng);
  if (chosen === undefined) return undefined;
  const name = `a${trajectory.steps[chosen.at]?.index}`;
  const brief = recordLines(trajectory, trajectory.steps[chosen.at]?.index);
  const better = nameOf(chosen.better, briefSteps(brief)) ?? chosen.better;
  return {
    kind: "correction",
    brief,
    answer: `${name}${chosen.right ? "+" : "-"}\n${chosen.right ? name : better}`,
    step: chosen.at,
  };
}

const FLAW_MARKS = { refused: "x", useless: "=", lost: "!", slow: "-" } as const satisfies Record<Flaw, string>;

async function reasonExample(
  ground: Ground,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const moment = await momentOf(ground, trajectory, judged, rng);
  if (moment === undefined) return undefined;
  const others = moment.others.map(({ flaw }, at) => ({ action: `c${at + 1}`, flaw }));
  const evidence = ["c0+", ...others.map(({ action, flaw }) => `${action}${FLAW_MARKS[flaw]}`)].join(" ");
  return {
    kind: "reason",
    brief: reasonLines(trajectory.task.goal, moment),
    answer: `${evidence}\n${sayReason("c0", others, rng)}`,
    step: moment.at,
  };
}

async function critiqueExample(
  ground: Ground,
  trajectory: Trajectory,
  judged: readonly Judged[],
  rng: Rng,
): Promise<Made | undefined> {
  const moment = await momentOf(ground, trajectory, judged, rng);
  if (moment === undefined) return undefined;
  const worth: Readonly<Record<Flaw, number>> = { slow: 3, useless: 2, refused: 1, lost: 0 };
  const candidates = [
    { action: moment.best.action, mark: "+", worth: 4 },
    ...moment.others.map(({ action, flaw }) => ({ action, mark: FLAW_MARKS[flaw], worth: worth[flaw] })),
  ]
    .map((one) => ({ ...one, place: rng.float() }))
    .toSorted((left, right) => left.place - right.place)
    .map((one, at) => ({ ...one, at: at + 1 }));
  const order = candidates.toSorted((left, right) => right.worth - left.worth);
  return {
    kind: "critique",
    brief: critiqueLines(trajectory.task.goal, moment.observation, candidates),
    answer: `${candidates.map(({ at, mark }) => `${at}${mark}`).join(" ")}\n${order.map(({ at }) => at).join(", ")}`,
  };
}
