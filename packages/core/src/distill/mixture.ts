/** Several teachers as one: the weighted average of their probabilities. */
import { EngineError } from "limbeck-base/base/errors";
import { option } from "limbeck-base/base/option";
import type { RowStatistics, Scorer } from "limbeck-policy/policy/policy";
import type { StatisticName } from "limbeck-policy/policy/objective";
import { openMembers, splitList } from "./open-teacher.ts";
import type { TeacherKind } from "./teacher.ts";

export const mixture: TeacherKind = {
  info: {
    title: "A mixture",
    meaning:
      "Several teachers (teacherSource: reference*0.7, model:FOLDER*0.3); their probabilities are averaged by weight, of sampled words and of candidates.",
  },
  options: { source: option.text(null, "teachers with weights, such as reference*0.7, model:FOLDER*0.3") },
  create: async (_model, options) => {
    const entries = splitList(options.source).map(weighted);
    const { members, shared } = await openMembers(
      options,
      entries.map(({ text }) => text),
    );
    const scorers = members.map(({ scorer }, at) => ({ scorer, weight: entries[at]?.weight ?? 0 }));
    return { scorer: mixedScorer(scorers), ...shared };
  },
};

function weighted(entry: string): { readonly text: string; readonly weight: number } {
  const at = entry.lastIndexOf("*");
  const weight = at < 0 ? 1 : Number(entry.slice(at + 1));
  if (Number.isFinite(weight) && weight > 0) return { text: at < 0 ? entry : entry.slice(0, at).trim(), weight };
  throw new EngineError(
    "bad-option",
    `The weight of the teacher "${entry}" is "${entry.slice(at + 1)}"; give a number above 0, reference*0.7 for example.`,
  );
}

/** log of the sum of w exp(log p), the weights brought to sum 1. */
export function mixedScorer(members: readonly { readonly scorer: Scorer; readonly weight: number }[]): Scorer {
  const total = members.reduce((sum, { weight }) => sum + weight, 0);
  const shares = members.map(({ weight }) => Math.log(weight / total));
  const known = (["logprob", "candidates"] as const).filter((name) =>
    members.every(({ scorer }) => scorer.statistics.includes(name)),
  );
  return {
    statistics: known,
    score: async (rows, options = {}) => {
      const { statistics = ["logprob"] } = options;
      const missing = statistics.filter((name) => !(known as readonly StatisticName[]).includes(name));
      if (missing.length > 0) {
        throw new EngineError(
          "missing-statistic",
          `A mixture of these teachers has no "${missing.join('", "')}"; it has ${known.join(" and ")}.`,
        );
      }
      const said: RowStatistics[][] = [];
      for (const { scorer } of members) said.push(await scorer.score(rows, options));
      return rows.map((row, at) =>
        Object.fromEntries(
          statistics.map((name) => {
            const width = name === "candidates" ? (row.candidates?.count ?? 0) : 1;
            const asked = (place: number): boolean =>
              place >= width && (row.mask === undefined || row.mask[Math.floor(place / width)] === 1);
            const parts = said.map((answers) => answers[at]?.[name] ?? new Float32Array(0));
            return [name, averaged(parts, shares, asked)];
          }),
        ),
      );
    },
  };
}

function averaged(
  parts: readonly Float32Array[],
  shares: readonly number[],
  asked: (place: number) => boolean,
): Float32Array {
  const out = new Float32Array(parts[0]?.length ?? 0);
  for (let place = 0; place < out.length; place += 1) {
    if (!asked(place)) continue;
    const terms = parts.map((part, at) => (part[place] as number) + (shares[at] as number));
    const most = Math.max(...terms);
    out[place] = most + Math.log(terms.reduce((sum, term) => sum + Math.exp(term - most), 0));
  }
  return out;
}
