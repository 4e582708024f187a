/** What is claimed of a published system, and how a claim is read from data/claims.yaml. */
import { parseDocument } from "yaml";
import { z } from "zod";
import { EngineError } from "../../base/index.ts";
import { isTooDeep } from "../../base/yaml-depth.ts";
import { readMetric } from "./metric.ts";

const Text = z.string().trim().min(1);

/** What is shown to run: the claims test runs the command at its smallest and looks at what it prints. */
const Run = {
  /** The file or folder. */
  lives: Text,
  /** What a person types to run the mechanism itself; several are joined by &&. */
  command: Text,
  /** What the command must print, and prints only where the mechanism acted: `credit/step.meanAbs > 0`. */
  metric: Text.refine((text) => readMetric(text) !== undefined, 'expected a condition such as "credit/groups > 0"'),
  /** Tests as `FILE: TITLE`, sections of the results as `docs/results.md: HEADING`. */
  proof: z.union([Text.transform((one) => [one]), z.array(Text).min(1)]),
  /** Where it differs from the publication. */
  departs: Text.optional(),
  /** Further words that the claims test runs the command with, to make it small. */
  small: Text.optional(),
  /** Not for every `npm test`: it runs in `npm run matrix`. */
  slow: z.boolean().default(false),
};

const ClaimSchema = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("works"), ...Run }),
  z.strictObject({ state: z.literal("measured"), ...Run, figures: Text, cause: Text }),
  z.strictObject({ state: z.literal("part"), lives: Text, command: Text.optional(), missing: Text }),
  z.strictObject({ state: z.literal("not yet"), waits: Text }),
]);

export type Claim = z.infer<typeof ClaimSchema>;

/** A claim whose command is run. */
export type RunClaim = Extract<Claim, { readonly state: "works" | "measured" }>;

export function isRun<Given extends Claim>(claim: Given): claim is Given & RunClaim {
  return claim.state === "works" || claim.state === "measured";
}

/** Claims by system. */
export function parseClaims(text: string): ReadonlyMap<string, Claim> {
  if (isTooDeep(text)) throw new EngineError("bad-catalog", "The claims are nested too deeply.");
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw new EngineError("bad-catalog", `The claims are no YAML: ${fault.message}`);
  const entries = Object.entries((document.toJS() ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(entries.map(([system, value]) => [system, parseClaim(system, value)]));
}

function parseClaim(system: string, value: unknown): Claim {
  const { data, error } = ClaimSchema.safeParse(value);
  if (data !== undefined) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join(".") || "the claim"}: ${message}`);
  throw new EngineError("bad-catalog", `The claim of "${system}" cannot be read. ${faults.join("; ")}.`, {
    details: { system },
  });
}
