/** Every method of the engine in one form, whatever its room; what `limbeck methods`, `limbeck explain` and the docs read. */
import { allowedValues, unknownName, type DeepTable } from "../../base/index.ts";
import { credits, needs, type Credit, type Example, type Need } from "../../credit/index.ts";
import { optionLines, rewards, type RewardMethod } from "../../reward/index.ts";
import { strategies, type StrategyDefinition } from "../../rollout/index.ts";
import { searches, type SearchDefinition } from "../../search/index.ts";
import { objectives, type ObjectiveMethod } from "../../objective/index.ts";

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

export function allMethods(): readonly Method[] {
  return [
    ...Object.values<RewardMethod>(rewards).map(rewardMethod),
    ...Object.entries<Credit>(credits).map(([id, credit]) => creditMethod(id, credit)),
    ...Object.values<ObjectiveMethod>(objectives).map(objectiveMethod),
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
    options: optionRows(options),
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
    options: optionRows(credit.options),
    file: `src/credit/${id}.ts`,
    example: credit.example,
  };
}

function objectiveMethod({ id, info, needs: statistics, rowFields, options }: ObjectiveMethod): Method {
  return {
    id,
    room: "objective",
    ...info,
    needs: [...statistics, ...rowFields],
    mayNeed: {},
    options: optionRows(options),
    file: `src/objective/${id}.ts`,
  };
}

function optionRows(table: DeepTable): MethodOption[] {
  return Object.entries(table).map(([name, spec]) => ({
    name,
    default: spec.default,
    allowed: allowedValues(spec),
    meaning: spec.meaning,
  }));
}
