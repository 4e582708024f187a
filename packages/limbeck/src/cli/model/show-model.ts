/** One model at work, for people: text as it is written, and scored lines. */
import type { ScoredLine } from "limbeck-policy/policy/score.operation";
import type { draftHeads } from "../../run/draft-heads.operation.ts";
import type { Invocation } from "../command.ts";
import { cleanLine, cleanLines } from "limbeck-base/base/clean-text";
import { formatDuration, formatNumber, plural } from "limbeck-base/base/units";

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

export function showDraftHeads({ print, note, style }: Invocation) {
  return {
    event: () => undefined,
    result: ({ accepted, tokensPerPass, path, target, durationMs }: Awaited<ReturnType<typeof draftHeads.run>>) => {
      const shares = accepted.map((share) => share.toFixed(2)).join(", ");
      print(`${style.green("✓")} ${style.cyan(cleanLine(path))} ${style.dim(`(${formatDuration(durationMs)})`)}`);
      print(`  Of each guess in a row it would keep ${shares}: ${tokensPerPass.toFixed(2)} tokens a pass.`);
      note(style.dim(`Use them: limbeck rollout --policy "${cleanLine(target)}" --draft heads --env …`));
    },
  };
}
