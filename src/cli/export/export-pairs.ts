/** Stored trajectories as preferences: one pair a line, prompt, chosen and rejected as chat messages. */
import { resolve } from "node:path";
import { throwIfAborted } from "../../base/index.ts";
import { findPairs, getPairSource, buildPairMessages } from "../../distill/index.ts";
import { writeOpenAiMessage } from "../../store/formats/openai-messages.ts";
import { writeFileSafely } from "../../store/formats/target.ts";
import type { Store } from "../../store/store.ts";
import type { Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { cleanLine } from "../look/clean-text.ts";
import { formatBytes, plural } from "../look/units.ts";
import { usageError } from "../parse.ts";
import { readScope } from "../with-store.ts";

export async function exportPairs(invocation: Invocation, store: Store, source: string, out: string): Promise<number> {
  const { io, style } = invocation;
  // Before anything is read: a wrong name should not cost the reading of a whole store.
  getPairSource(source);
  const where = invocation.text("where");
  const { signal, ...scope } = await readScope(invocation, store);
  const trajectories: Trajectory[] = [];
  for await (const one of store.trajectories({ ...scope, ...(where === undefined ? {} : { where }) })) {
    throwIfAborted(signal);
    trajectories.push(withoutTokens(one));
  }
  const pairs = findPairs(source, trajectories);
  if (pairs.length === 0) {
    throw usageError(
      `No pairs of ${source} among ${plural(trajectories.length, "stored trajectory", "stored trajectories")}, so nothing was written. Pairs need different outcomes of the same task; try another --pairs, --run or --where.`,
    );
  }
  const path = resolve(io.cwd, out);
  const bytes = await writeFileSafely(path, lines(source, pairs, trajectories), {
    signal,
    overwrite: invocation.flag("overwrite"),
  });
  if (invocation.json) {
    invocation.printJson({
      path,
      format: "preferences",
      trajectories: trajectories.length,
      pairs: pairs.length,
      bytes,
    });
  }
  invocation.print(
    `${style.green("✓")} Wrote ${plural(pairs.length, "pair", "pairs")} of ${source} to ${style.cyan(cleanLine(out))} ${style.dim(`(${formatBytes(bytes)})`)}`,
  );
  return EXIT.done;
}

async function* lines(
  source: string,
  pairs: ReturnType<typeof findPairs>,
  trajectories: readonly Trajectory[],
): AsyncGenerator<string, void, undefined> {
  for (const { pair, prompt, chosen, rejected } of buildPairMessages(pairs, trajectories)) {
    const { task, margin } = pair;
    const sides = { prompt, chosen, rejected };
    const written = Object.entries(sides).map(([name, messages]) => [name, messages.map(writeOpenAiMessage)]);
    const from = { chosen: pair.chosen, rejected: pair.rejected };
    yield `${JSON.stringify({ ...Object.fromEntries(written), margin, source, task, from })}\n`;
  }
}

/** Text is all that is written, and tokens are most of what is stored. */
function withoutTokens({ steps, ...rest }: Trajectory): Trajectory {
  return { ...rest, streams: [], steps: steps.map(({ span: _span, ...step }) => step) };
}
