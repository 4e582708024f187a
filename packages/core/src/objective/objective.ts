/**
 * The contract of the room: an objective of the registry makes an `Objective` from its options, and says what a reader
 * needs to know, whether it can stand for the policy loss, and what it reads.
 */
import { resolveOptions } from "limbeck-base/base/options";
import type { DeepTable, GivenOptions, OptionValues } from "limbeck-base/base/option-table";
import type { MethodInfo } from "limbeck-base/base/method-info";
import { badAnswer, callPart, withOverrides } from "limbeck-base/base/parts/contain";
import { kindOfValue, madePart, type PartKind } from "limbeck-base/base/parts/part";
import type { Objective, StatisticName, TrainRow } from "limbeck-policy/policy/objective";
import type { TokenField } from "./row-fields.ts";

/** Settings of a training in the place of the shared defaults. */
export type RatioSettings = Readonly<Partial<Record<"epochs" | "miniBatches" | "learningRate", number>>>;

/** Two steps an update, each a third of the shared rate: several whole ones unlearned the household (docs/evidence/generated/matrix.md). */
export const TWO_STEPS: RatioSettings = { miniBatches: 2, learningRate: 1e-4 };

export interface ObjectiveMethod<Table extends DeepTable = DeepTable> {
  readonly id: string;
  readonly info: MethodInfo;
  /** Whether it can stand for the policy loss. The others are terms beside it, or losses of other kinds of rows. */
  readonly policyLoss: boolean;
  /**
   * Declares that it lives on ratios to the old policy: with one step an update all of them are 1 and it is the plain
   * gradient. What it takes in a training, so that they move. The contract suite checks the declaration both ways.
   */
  readonly ratios?: RatioSettings;
  readonly options: Table;
  /** Statistics the learner must compute. */
  readonly needs: readonly StatisticName[];
  /** Fields that every trained row must carry. */
  readonly rowFields: readonly (keyof TrainRow)[];
  /** Options are checked here, once; an unknown or impossible one is refused by name. */
  create(options?: GivenOptions<Table>): Objective;
}

/** What an entry says of itself, in the form in which `tokenObjective` and `taughtObjective` take it. */
interface Own<Options, Need, Field> {
  readonly id: string;
  readonly options: Options;
  readonly needs: readonly Need[];
  readonly fields: readonly Extract<Field, TokenField>[];
}

const OBJECTIVE: PartKind<ObjectiveMethod> = {
  kind: "objective",
  maker: "defineObjective",
  functions: ["create"],
  guard: (method, home) => ({
    ...method,
    create: (options) => {
      const objective = callPart(home, "create", () => method.create(options));
      if (typeof objective?.compute !== "function") {
        throw badAnswer(home, "create", `it gave ${kindOfValue(objective)} without a function "compute"`);
      }
      return withOverrides(objective, {
        compute: (...given) => {
          const result = callPart(home, "compute", () => objective.compute(...given));
          if (Number.isFinite(result?.loss)) return result;
          throw badAnswer(home, "compute", `the loss is ${kindOfValue(result?.loss)}, not a finite number`);
        },
      });
    },
  }),
};

/**
 * Makes an objective: from statistics of tokens to a loss, and to how the loss changes with each of them.
 *
 * @example
 * const likelihood = defineObjective({
 *   id: "likelihood",
 *   info: { title: "Likelihood", meaning: "Makes the trained tokens more likely.", paper: "Our own", confidence: "practice", formula: [], departures: [] },
 *   policyLoss: false,
 *   options: { scale: option.number(1, "factor of the loss", { above: 0 }) },
 *   needs: ["logprob"],
 *   rowFields: [],
 *   create: ({ scale }) => ({
 *     needs: ["logprob"],
 *     compute: ({ logprob = [] }, _frozen, rows) => ({
 *       loss: -scale * logprob.flatMap((own) => [...own]).reduce((sum, one) => sum + one, 0),
 *       weights: { logprob: rows.map(({ mask }) => Float64Array.from(mask, (on) => -scale * on)) },
 *     }),
 *   }),
 * });
 * const row = { ids: Int32Array.of(1, 2), mask: Uint8Array.of(0, 1) };
 * const live = { logprob: [Float64Array.of(0, -0.5)] };
 * console.log(likelihood.create({ scale: 2 }).compute(live, live, [row]).loss); // 1
 */
export function defineObjective<
  const Table extends DeepTable,
  const Need extends StatisticName,
  const Field extends keyof TrainRow,
>(definition: {
  readonly id: string;
  readonly info: MethodInfo;
  readonly policyLoss: boolean;
  readonly ratios?: RatioSettings;
  readonly options: Table;
  readonly needs: readonly Need[];
  readonly rowFields: readonly Field[];
  readonly create: (options: OptionValues<Table>, own: Own<OptionValues<Table>, Need, Field>) => Objective;
}): ObjectiveMethod<Table> {
  const { create, ...entry } = definition;
  const { id, options: table, needs, rowFields } = entry;
  // Fields that are no numbers per token (a pair, a rank) are read by no one who takes `own`.
  const fields = rowFields as readonly Extract<Field, TokenField>[];
  const method: ObjectiveMethod<Table> = {
    ...entry,
    create: (given = {} as GivenOptions<Table>) => {
      const options = resolveOptions(table, given, id);
      return create(options, { id, options, needs, fields });
    },
  };
  madePart(method as unknown as ObjectiveMethod, OBJECTIVE);
  return method;
}
