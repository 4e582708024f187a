/** Promises of a protocol as cases that are pointed at a server, and how it stands to each. */
import { errorData, isAbort, throwIfAborted } from "./errors.ts";
import { parseObject } from "./json.ts";
import { unknownName } from "./registry.ts";

/**
 * "required": a client cannot do without it. "profile": servers are allowed to differ, and a client asks which way.
 * "fault": what some server is known to do wrong; passing means that this one does it right.
 */
export type CaseKind = "required" | "profile" | "fault";

/** `Bench` is what the cases of one protocol work with. */
export interface ConformanceCase<Bench> {
  readonly title: string;
  readonly kind: CaseKind;
  /** Throws `Differs` or `Lacks`; what it returns is shown beside "passes". */
  run(bench: Bench): Promise<string | void>;
}

/** A case that asks the server itself; protocols have makers of their own for cases on a model or a connection. */
export function onServer<Bench>(
  title: string,
  kind: CaseKind,
  run: ConformanceCase<Bench>["run"],
): ConformanceCase<Bench> {
  return { title, kind, run };
}

/** Named in kebab-case; the names are API. */
export type CaseTable<Bench> = Readonly<Record<string, ConformanceCase<Bench>>>;

export interface CaseResult {
  readonly name: string;
  readonly title: string;
  readonly kind: CaseKind;
  readonly outcome: "passes" | "differs" | "lacks";
  /** What the server does instead, or says of itself; empty where there is nothing to say. */
  readonly note: string;
}

/** The server does something else. */
export class Differs extends Error {
  override readonly name = "Differs";
}

/** The server does not have it. */
export class Lacks extends Error {
  override readonly name = "Lacks";
}

export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Differs(otherwise);
}

export function expectStatus(
  { status, text }: { readonly status: number; readonly text: string },
  allowed: readonly number[],
): void {
  const wanted = allowed.join(" or ");
  expectThat(allowed.includes(status), `status ${status} where ${wanted} is expected: ${text.slice(0, 120)}`);
}

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** Undefined where the body is not a JSON object. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Headers;
}

type Headed = Readonly<Record<string, string>>;

/** Plain requests, because a client would smooth over what the cases look for. */
export function rawRequests(
  base: string,
  headers: Headed,
  { timeoutMs, signal }: { readonly timeoutMs: number; readonly signal?: AbortSignal | undefined },
) {
  return async (method: string, path: string, body?: unknown, more: Headed = {}): Promise<RawAnswer> => {
    throwIfAborted(signal);
    const limit = AbortSignal.timeout(timeoutMs);
    const type: Headed = body === undefined ? {} : { "content-type": "application/json" };
    const response = await fetch(base + path, {
      method,
      headers: { ...type, ...headers, ...more },
      redirect: "manual",
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, text, json: parseObject(text), headers: response.headers };
  };
}

/** Throws where a name is asked for that no case has; worth doing before a server is bothered. */
export function checkCaseNames(cases: Readonly<Record<string, unknown>>, only: readonly string[] = []): void {
  const unknown = only.find((name) => !Object.hasOwn(cases, name));
  if (unknown !== undefined) throw unknownName(unknown, Object.keys(cases), "case");
}

export interface CaseRunOptions {
  /** Names of cases. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly onResult?: ((result: CaseResult) => void) | undefined;
}

/** Runs the cases one after the other. Green: every required case passes. */
export async function runCases<Bench>(
  cases: CaseTable<Bench>,
  bench: Bench,
  options: CaseRunOptions,
): Promise<{ readonly green: boolean; readonly results: readonly CaseResult[] }> {
  const { only, onResult } = options;
  checkCaseNames(cases, only);
  const results: CaseResult[] = [];
  for (const [name, one] of Object.entries(cases)) {
    if (only !== undefined && !only.includes(name)) continue;
    const result = { name, title: one.title, kind: one.kind, ...(await outcomeOf(one, bench)) };
    results.push(result);
    onResult?.(result);
  }
  return { green: results.every(({ kind, outcome }) => kind !== "required" || outcome === "passes"), results };
}

async function outcomeOf<Bench>(
  one: ConformanceCase<Bench>,
  bench: Bench,
): Promise<Pick<CaseResult, "outcome" | "note">> {
  try {
    const note = await one.run(bench);
    return { outcome: "passes", note: note ?? "" };
  } catch (error) {
    if (isAbort(error)) throw error;
    if (error instanceof Differs) return { outcome: "differs", note: error.message };
    if (error instanceof Lacks) return { outcome: "lacks", note: error.message };
    return { outcome: "differs", note: errorData(error).message.slice(0, 200) };
  }
}
