/** In which form a teacher's opinion becomes a loss: of the sampled token, of the likeliest words, or of all words. */
import { option } from "limbeck-base/base/option";
import type { OptionTable, OptionValues } from "limbeck-base/base/option-table";
import type { Objective } from "limbeck-policy/policy/objective";
import { candidateDivergence } from "../objective/candidate-divergence.ts";
import { CLAMPED } from "../objective/divergences.ts";
import { sampledDivergence } from "../objective/sampled-divergence.ts";
import type { Aggregation } from "../objective/aggregation.ts";
import type { TeachRequest } from "../update/teach.ts";

const FORMS = ["sampled", "candidates", "vocabulary"] as const;
const DIRECTIONS = ["forward", "reverse", "jsd"] as const;

interface Standard {
  readonly form: (typeof FORMS)[number];
  readonly direction: (typeof DIRECTIONS)[number];
  readonly clamp: number | null;
}

/** A recipe gives the form that it was published with, or that it needs here. */
export function divergenceSettings({ form, direction, clamp }: Standard) {
  return {
    form: option.choice(
      form,
      FORMS,
      "what is compared: the sampled token (k3), the likeliest words, or the whole vocabulary",
    ),
    direction: option.choice(
      direction,
      DIRECTIONS,
      "forward: teacher first; reverse: policy first; jsd: in between. Not for the sampled token",
    ),
    middle: option.share(0.5, "the teacher's share of the middle of jsd"),
    candidates: option.count(20, "likeliest words that are compared"),
    rest: option.choice(
      "tail",
      ["tail", "renormalise"],
      "what the likeliest words leave over: one word more, or nothing",
    ),
    clamp: option.limit(clamp, "most that one token can count, in nats", { least: 1e-9 }),
  } as const satisfies OptionTable;
}

/** Of recipes that were published with a clamp of each word. */
export const clampOf = option.choice("word", CLAMPED, "what the clamp holds: each word's share, or the whole token");

export type DivergenceSettings = OptionValues<ReturnType<typeof divergenceSettings>>;

/** What the teacher is asked for. The tokens are those of the first argument of the divergence. */
export function widthOf({
  form,
  direction,
  candidates,
}: Pick<DivergenceSettings, "form" | "direction" | "candidates">): Pick<TeachRequest, "candidates" | "support"> {
  if (form === "sampled") return { candidates: null };
  if (form === "vocabulary") return { candidates: "all" };
  return { candidates, support: ({ forward: "teacher", reverse: "student", jsd: "union" } as const)[direction] };
}

/** Rows without a teacher take no part, neither in sums nor in means. */
export function divergenceLoss(
  settings: DivergenceSettings & { readonly clampOf?: (typeof CLAMPED)[number] },
  aggregation: Aggregation,
): Objective {
  const { form, direction, middle: beta, rest, clamp, clampOf: held = "token" } = settings;
  if (form === "sampled") return sampledDivergence.create({ clamp, aggregation });
  return candidateDivergence.create({ direction, beta, rest, clamp, clampOf: held, aggregation });
}
