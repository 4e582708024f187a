/** One model at work, for people: text as it is written, and scored lines. */
import type { ScoredLine } from "../../policy/score.operation.ts";
import type { Invocation } from "../command.ts";
import { cleanLines } from "../look/clean-text.ts";
import { formatNumber, plural } from "../look/units.ts";

export function showSample({ io, note }: Invocation) {
  return {
    // A model may write anything; a terminal must not obey it.
    piece: (text: string) => io.out(cleanLines(text).join("\n")),
    result: ({ ids, ending, seed }: { ids: readonly number[]; ending: string; seed: number }) => {
      io.out("\n");
      note(`${plural(ids.length, "token")}, ended by ${ending}, seed ${seed}`);
    },
  };
}

export function showScore({ print, note }: Invocation) {
  const said = (mean: number | null): string => (mean === null ? "–" : formatNumber(mean));
  return {
    event: ({ line, ids, sum, mean }: ScoredLine) =>
      print(`line ${line}: ${plural(ids.length, "token")}, sum ${formatNumber(sum)}, mean ${said(mean)}`),
    result: ({ rows, tokens, mean }: { rows: number; tokens: number; mean: number | null }) =>
      note(`${plural(rows, "row")}, ${plural(tokens, "token")}, mean log-probability ${said(mean)}`),
  };
}
