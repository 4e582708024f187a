/** The catalog of published systems: what each is, whether it works here, and what is claimed of it. */
import { readFileSync } from "node:fs";
import { parseDocument } from "yaml";
import { z } from "zod";
import { EngineError } from "limbeck-base/base/errors";
import { isTooDeep } from "limbeck-base/base/yaml-depth";
import type { State } from "./state.ts";

const COLUMNS = ["system", "title", "family", "scope", "module", "what", "mechanism", "proof", "repository"] as const;
const HEADER = "system\ttitle\tfamily\tscope\troom\twhat\tmechanism\tproof\trepo";

/** One line of packages/limbeck/data/catalog.tsv; "-" in the repository column is no repository. */
export interface System extends Readonly<Record<Exclude<(typeof COLUMNS)[number], "repository">, string>> {
  readonly repository: string | null;
}

/** What JSON tells of a system: its line of the catalog, and its claim of packages/limbeck/data/claims.yaml in one shape for all states. */
export interface Entry extends System {
  readonly state: State;
  readonly lives: string | null;
  readonly command: string | null;
  /** What the command prints where the mechanism acts. */
  readonly metric: string | null;
  /** The words that switch the mechanism off, and what the metric is then: "--set credit.beta=0: 0". */
  readonly control: string | null;
  /** Paired seeds of the measurement that shows it; null for an exact proof. */
  readonly seeds: number | null;
  /** Tests and sections of the results that show what `proof` asks for. */
  readonly shownBy: readonly string[];
  /** Where it departs from the publication, what was measured, what is missing or what it waits for. */
  readonly reason: string | null;
}

export function loadCatalog(): Entry[] {
  const claims = loadClaims();
  return parseCatalog(dataFile("catalog.tsv")).map((system) => {
    const claim = claims.get(system.system);
    if (claim !== undefined) return { ...system, ...claimed(claim) };
    throw badCatalog(`No claim for the system "${system.system}" in data/claims.yaml.`);
  });
}

export function loadClaims(): ReadonlyMap<string, Claim> {
  return (loaded ??= parseClaims(dataFile("claims.yaml")));
}

/** Half a second of YAML, and the file is the package's own. */
let loaded: ReadonlyMap<string, Claim> | undefined;

function claimed(claim: Claim): Omit<Entry, keyof System> {
  const { state } = claim;
  const nothing = { state, lives: null, command: null, metric: null, control: null, seeds: null, shownBy: [] };
  if (state === "not yet") return { ...nothing, reason: `Waits for ${claim.waits}` };
  const { lives, command = null } = claim;
  if (state === "part") return { ...nothing, lives, command, reason: claim.missing };
  const { metric, proof } = claim;
  const control = claim.off === undefined ? null : `${claim.off}: ${claim.fallen}`;
  const shownBy = proof.map((one) => (typeof one === "string" ? one : `${one.study}: ${one.section}, ${one.figure}`));
  const least = Math.min(...proof.map((one) => (typeof one === "string" ? Infinity : one.seeds)));
  const seeds = state === "measured" ? (claim.seeds ?? null) : Number.isFinite(least) ? least : null;
  return { state, lives, command, metric, control, seeds, shownBy, reason: reasonOf(claim) };
}

function reasonOf(claim: RunClaim): string | null {
  if (claim.state === "measured") return `${claim.figures} Likely cause: ${claim.cause}`;
  const { departs } = claim;
  if (claim.state === "works") return departs ?? null;
  return [claim.made, departs].filter((text) => text !== undefined).join(" ");
}

/** The same distance away from the source and from the built file. */
function dataFile(name: string): string {
  return readFileSync(new URL(`../../../data/${name}`, import.meta.url), "utf8");
}

export function parseCatalog(text: string): System[] {
  const [header = "", ...lines] = text.trimEnd().split("\n");
  if (header !== HEADER) throw badCatalog(`The catalog begins with "${header}"; expected "${HEADER}".`);
  return lines.map((line, index) => {
    const cells = line.split("\t");
    const got = `${cells.length} fields; expected ${COLUMNS.length}`;
    if (cells.length !== COLUMNS.length) throw badCatalog(`Line ${index + 2} of the catalog has ${got}.`);
    const row = Object.fromEntries(COLUMNS.map((name, at) => [name, cells[at] ?? ""]));
    return { ...(row as unknown as System), repository: row["repository"] === "-" ? null : (row["repository"] ?? "") };
  });
}

// Claims.

const Text = z.string().trim().min(1);

/** Seeds that a claim of learning needs. */
export const LEAST_SEEDS = 5;

/** A proof by measurement: the line of a study's table, and what it says. */
const Measured = z.strictObject({
  /** docs/evidence/results/NAME.md. */
  study: Text,
  section: Text,
  /** How the line of that section begins. */
  line: Text,
  /** A number and its interval, as in that line: `0.178 [0.167, 0.200]`. */
  figure: Text,
  /** Paired seeds, as that section says. */
  seeds: z.int().min(LEAST_SEEDS),
  /** Where the plan stands that was committed before the first run: `docs/evidence/log.md: HEADING`. */
  plan: Text,
});

const Proof = z.union([Text, Measured]);

export type ProofEntry = z.infer<typeof Proof>;

/** What is shown to run: the claims test runs the command at its smallest and looks at what it prints. */
const Run = {
  /** The file or folder. */
  lives: Text,
  /** What a person types to run the mechanism itself; several are joined by &&. */
  command: Text,
  /** What the command must print, and prints only where the mechanism acted: `credit/step.meanAbs > 0`. */
  metric: Text.refine((text) => readMetric(text) !== undefined, 'expected a condition such as "credit/groups > 0"'),
  /** Tests as `FILE: TITLE`, lines of a study; where nothing is claimed, its sections as `docs/evidence/results/NAME.md: HEADING`. */
  proof: z.union([Proof.transform((one) => [one]), z.array(Proof).min(1)]),
  /** Where it differs from the publication. */
  departs: Text.optional(),
  /** Further words that the claims test runs the command with, to make it small. */
  small: Text.optional(),
  /** Not for every `npm test`: it runs in `npm run matrix`. */
  slow: z.boolean().default(false),
};

/** The same run without the mechanism. */
const Control = {
  /** Words behind those of the command that switch the mechanism off and nothing else; or a whole command, from "limbeck" on. */
  off: Text,
  /** What the metric is then, to the digits that are given. It may be absent where the measure belongs to the mechanism. */
  fallen: z.union([z.number(), z.literal("absent")]),
};
const MayControl = z.object(Control).partial().shape;

const ClaimSchema = z.discriminatedUnion("state", [
  z.strictObject({ state: z.literal("works"), ...Run, ...Control }),
  z.strictObject({ state: z.literal("by construction"), ...Run, ...MayControl, made: Text }),
  z.strictObject({
    state: z.literal("measured"),
    ...Run,
    ...MayControl,
    figures: Text,
    cause: Text,
    seeds: z.int().min(1).optional(),
  }),
  z.strictObject({ state: z.literal("part"), lives: Text, command: Text.optional(), missing: Text }),
  z.strictObject({ state: z.literal("not yet"), waits: Text }),
]);

export type Claim = z.infer<typeof ClaimSchema>;

/** A claim whose command is run. */
export type RunClaim = Extract<Claim, { readonly metric: string }>;

export function isRun<Given extends Claim>(claim: Given): claim is Given & RunClaim {
  return "metric" in claim;
}

/** Claims by system. */
export function parseClaims(text: string): ReadonlyMap<string, Claim> {
  if (isTooDeep(text)) throw badCatalog("The claims are nested too deeply.");
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault !== undefined) throw badCatalog(`The claims are no YAML: ${fault.message}`);
  const entries = Object.entries((document.toJS() ?? {}) as Readonly<Record<string, unknown>>);
  return new Map(entries.map(([system, value]) => [system, parseClaim(system, value)]));
}

function parseClaim(system: string, value: unknown): Claim {
  const { data, error } = ClaimSchema.safeParse(value);
  if (data !== undefined) return data;
  const faults = error.issues.map(({ path, message }) => `${path.join(".") || "the claim"}: ${message}`);
  throw badCatalog(`The claim of "${system}" cannot be read. ${faults.join("; ")}.`, { system });
}

// Metrics.

const COMPARISONS = {
  ">=": (value: number, bound: number) => value >= bound,
  "<=": (value: number, bound: number) => value <= bound,
  ">": (value: number, bound: number) => value > bound,
  "<": (value: number, bound: number) => value < bound,
} as const;

/** What a claim's command must print: a name, a comparison, a number, as in `credit/droppedRows > 0`. */
export interface Metric {
  readonly name: string;
  readonly comparison: keyof typeof COMPARISONS;
  readonly bound: number;
}

/** Undefined where the text is no comparison with a number. */
export function readMetric(text: string): Metric | undefined {
  const [, name, comparison, bound] = /^(\S+) (>=|<=|>|<) (-?\d+(?:\.\d+)?)$/.exec(text) ?? [];
  if (name === undefined || comparison === undefined) return undefined;
  return { name, comparison: comparison as Metric["comparison"], bound: Number(bound) };
}

/** Every number of this name: a measure of an update (`metrics`), or a field, `spent.envSteps` being one of a field. */
export function valuesOf(name: string, printed: readonly object[]): number[] {
  return printed
    .flatMap((object) => [field(field(object, "metrics"), name), name.split(".").reduce<unknown>(field, object)])
    .filter((value) => typeof value === "number");
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

/** Whether a printed value of that name meets the condition. */
export function holds({ name, comparison, bound }: Metric, printed: readonly object[]): boolean {
  return valuesOf(name, printed).some((value) => COMPARISONS[comparison](value, bound));
}

function badCatalog(message: string, details?: Readonly<Record<string, string>>): EngineError {
  return new EngineError("bad-catalog", message, details === undefined ? {} : { details });
}
