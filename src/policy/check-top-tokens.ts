/** Checks that a scorer's most probable tokens are those of its whole distribution. */
import { expectClose, fail, prompts, type CheckedPolicy, type PolicyCheckOptions } from "./check.ts";
import type { TopTokens } from "./policy.ts";

/** A scorer without `topTokens` or candidates to compare with keeps the promise by saying nothing. */
export async function checkTopTokens(policy: CheckedPolicy, options: PolicyCheckOptions): Promise<void> {
  const { topTokens, score, vocabularySize, tolerance } = { ...options, ...bound(policy) };
  if (topTokens === undefined || score === undefined || policy.statistics?.includes("candidates") !== true) return;
  const count = Math.min(4, vocabularySize);
  const everything = Array.from({ length: vocabularySize }, (_, id) => id);
  const rows = prompts(options).map((ids) => ({
    ids,
    candidates: { count: vocabularySize, ids: repeated(everything, ids.length) },
  }));
  const tops = await topTokens(rows, { count });
  const whole = await score(rows, { statistics: ["candidates"] });
  rows.forEach(({ ids }, row) => {
    const top = tops[row] as TopTokens;
    const { candidates: all = new Float32Array() } = whole[row] ?? {};
    if (top.ids.length !== ids.length * count) {
      fail(
        policy,
        `Row ${row} of ${ids.length} tokens got ${top.ids.length} of the ${count} most probable tokens each.`,
      );
    }
    for (let token = 1; token < ids.length; token += 1) {
      const own = all.subarray(token * vocabularySize, (token + 1) * vocabularySize);
      checkPosition(policy, top, token, own, { where: `Row ${row}, token ${token}`, tolerance: tolerance ?? 1e-4 });
    }
  });
}

function checkPosition(
  policy: CheckedPolicy,
  { count, ids, logprobs }: TopTokens,
  token: number,
  whole: Float32Array,
  { where, tolerance }: { readonly where: string; readonly tolerance: number },
): void {
  const found = [...ids.subarray(token * count, (token + 1) * count)];
  const values = logprobs.subarray(token * count, (token + 1) * count);
  if (new Set(found).size !== count) fail(policy, `${where}: a token is twice among the most probable ones.`);
  expectClose(
    policy,
    `${where}: top`,
    values,
    found.map((id) => whole[id] as number),
    tolerance,
  );
  for (let at = 1; at < count; at += 1) {
    const [before, value] = [values[at - 1] as number, values[at] as number];
    if (value > before || (value === before && (found[at - 1] as number) > (found[at] as number))) {
      fail(policy, `${where}: the most probable tokens are not in order: ${found.join(", ")}.`);
    }
  }
  const least = (values[count - 1] as number) + tolerance;
  const missed = whole.findIndex((value, id) => value > least && !found.includes(id));
  if (missed >= 0) fail(policy, `${where}: token ${missed} is more probable than one of ${found.join(", ")}.`);
}

function repeated(values: readonly number[], times: number): Int32Array {
  return Int32Array.from({ length: values.length * times }, (_, at) => values[at % values.length] as number);
}

/** The two functions, still as methods of their policy. */
function bound(policy: CheckedPolicy): Pick<CheckedPolicy, "topTokens" | "score"> {
  return {
    ...(policy.topTokens === undefined ? {} : { topTokens: policy.topTokens.bind(policy) }),
    ...(policy.score === undefined ? {} : { score: policy.score.bind(policy) }),
  };
}
