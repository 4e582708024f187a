/** Every method of the engine in one form, whatever its room; what `limbeck methods`, `limbeck explain` and the docs read. */
import { unknownName } from "../../base/index.ts";
import { allowedValues, credits, needs, type Credit, type Example, type Need } from "../../credit/index.ts";
import { optionLines, rewards, type RewardMethod } from "../../reward/index.ts";
import { strategies, type StrategyDefinition } from "../../rollout/index.ts";
import { searches, type SearchDefinition } from "../../search/index.ts";
import { objectives, type ObjectiveInfo } from "../../objective/index.ts";

export interface MethodOption {
  readonly name: string;
  readonly default: unknown;
  readonly allowed: string;
  readonly meaning: string;
}

export interface Method {
  readonly id: string;
  readonly room: "credit" | "reward" | "rollout" | "search" | "objective";
  readonly title: string;
  readonly paper: string;
  readonly confidence: "code" | "paper" | "inferred" | "practice";
  readonly meaning: string;
  readonly formula: readonly string[];
  /** What it cannot do without, as fields. */
  readonly needs: readonly string[];
  /** What it needs sometimes, and when. */
  readonly mayNeed: Readonly<Record<string, string>>;
  readonly options: readonly MethodOption[];
  readonly departures: readonly string[];
  readonly file: string;
  readonly example?: Example;
}

interface ObjectiveEntry {
  readonly info: ObjectiveInfo;
  readonly needs: readonly string[];
  readonly rowFields?: readonly string[];
}

export function allMethods(): readonly Method[] {
  return [
    ...Object.values<RewardMethod>(rewards).map(rewardMethod),
    ...Object.entries<Credit>(credits).map(([id, credit]) => creditMethod(id, credit)),
    ...Object.entries<ObjectiveEntry>(objectives).map(([id, objective]) => objectiveMethod(id, objective)),
    ...Object.entries<StrategyDefinition>(strategies).map(([id, strategy]) => playedMethod("rollout", id, strategy)),
    ...Object.entries<SearchDefinition>(searches).map(([id, search]) => playedMethod("search", id, search)),
  ];
}

/** By id or title, in any case. A name that two rooms use is told apart as "rollout/treepo". */
export function findMethod(name: string): Method {
  const methods = allMethods();
  const wanted = name.toLowerCase();
  const found =
    methods.find(({ id, room }) => id === wanted || `${room}/${id}` === wanted) ??
    methods.find(({ title }) => title.toLowerCase() === wanted);
  if (found !== undefined) return found;
  throw unknownName(
    name,
    methods.map(({ id }) => id),
    "method",
  );
}

/** A default as it is typed after `--set`. */
export function defaultText(value: unknown): string {
  if (value === null) return "none";
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "none");
}

function rewardMethod(reward: RewardMethod): Method {
  const { id, title, paper, confidence, summary, formula, needs: given, mayUse = {}, options, departures } = reward;
  return {
    id,
    room: "reward",
    title,
    paper,
    confidence,
    meaning: summary,
    formula,
    needs: given,
    mayNeed: mayUse,
    options: optionLines(options),
    departures,
    file: `src/reward/${id}.ts`,
  };
}

function playedMethod(
  room: "rollout" | "search",
  id: string,
  { info, needs: given, options }: StrategyDefinition | SearchDefinition,
): Method {
  return {
    id,
    room,
    ...info,
    needs: given,
    mayNeed: {},
    options: Object.entries(options).map(([name, spec]) => ({
      name,
      default: spec.default,
      allowed: allowedValues(spec),
      meaning: spec.meaning,
    })),
    file: `src/${room}/${id}.ts`,
  };
}

function creditMethod(id: string, credit: Credit): Method {
  return {
    id,
    room: "credit",
    ...credit.info,
    needs: credit.needs.map((need) => needs[need].field),
    mayNeed: Object.fromEntries(
      Object.entries(credit.mayNeed ?? {}).map(([need, when]) => [needs[need as Need].field, when]),
    ),
    options: Object.entries(credit.options).map(([name, spec]) => ({
      name,
      default: spec.default,
      allowed: allowedValues(spec),
      meaning: spec.meaning,
    })),
    file: `src/credit/${id}.ts`,
    example: credit.example,
  };
}

function objectiveMethod(id: string, { info, needs: statistics, rowFields = [] }: ObjectiveEntry): Method {
  const { defaults, formula, ...rest } = info;
  return {
    id,
    room: "objective",
    ...rest,
    formula: formula.split("\n"),
    needs: [...statistics, ...rowFields],
    mayNeed: {},
    options: Object.entries(defaults).map(([name, value]) => ({ name, default: value, allowed: "", meaning: "" })),
    file: `src/train/${id}.ts`,
  };
}
