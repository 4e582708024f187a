/** One promise of the protocol, and how a server can stand to it. */
import type { ConformanceBench } from "./bench.ts";

/**
 * "required": a client cannot do without it. "profile": servers are allowed to differ, and a client asks which way.
 * "fault": what some server is known to do wrong; passing means that this one does it right.
 */
export type CaseKind = "required" | "profile" | "fault";

export interface ConformanceCase {
  readonly title: string;
  readonly kind: CaseKind;
  /** Throws `Differs` or `Lacks`; what it returns is shown beside "passes". */
  run(bench: ConformanceBench): Promise<string | void>;
}

/** Named in kebab-case; the names are API. */
export type CaseTable = Readonly<Record<string, ConformanceCase>>;

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
  answer: { readonly status: number; readonly text: string },
  allowed: readonly number[],
): void {
  if (allowed.includes(answer.status)) return;
  throw new Differs(`status ${answer.status} where ${allowed.join(" or ")} is expected: ${answer.text.slice(0, 120)}`);
}

export function expectClose(got: ArrayLike<number>, wanted: ArrayLike<number>, tolerance: number, what: string): void {
  expectThat(got.length === wanted.length, `${what}: ${got.length} numbers for ${wanted.length}`);
  for (let at = 0; at < got.length; at += 1) {
    const distance = Math.abs((got[at] as number) - (wanted[at] as number));
    expectThat(distance <= tolerance, `${what}: ${got[at]} at place ${at} where ${wanted[at]} is expected`);
  }
}
