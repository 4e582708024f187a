/** What the cases expect of an answer. */
import { Differs, expectThat } from "../../../base/conformance.ts";

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
