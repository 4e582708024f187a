/** Stored trajectories as a file of another format, or as preferences. */
import { resolve, sep } from "node:path";
import { usageError, EngineError, throwIfAborted } from "limbeck-base/base/errors";
import { lookUp } from "limbeck-base/base/registry";
import { withoutUndefined } from "limbeck-base/base/fields";
import { buildPairMessages } from "limbeck-core/distill/pairs/pair-messages";
import { findPairs, getPairSource } from "limbeck-core/distill/pairs/index";
import { formats } from "../store/formats/index.ts";
import type { Source } from "../store/formats/source.ts";
import { writeOpenAiMessage } from "../store/formats/openai-messages.ts";
import { writeFileSafely } from "../store/formats/target.ts";
import type { QueryOptions, Store } from "../store/store.ts";
import { readStore } from "../store/with-store.ts";
import type { Trajectory } from "limbeck-base/trajectory/trajectory";
import { exportNames, PREFERENCES, type ExportContext, type ExportInput } from "./export.inputs.ts";

export async function writeExport(input: ExportInput, context: ExportContext): Promise<void> {
  const { format: name, out, pairs } = input;
  if (name === undefined)
    throw usageError(`"limbeck export" needs --format F; known: ${(await exportNames()).join(", ")}.`);
  if (out === undefined) throw usageError('"limbeck export" needs --out PATH, the file to write.');
  if (name === PREFERENCES) return await writePairs({ ...input, out }, context);
  if (pairs !== undefined) throw usageError(`--pairs goes with --format ${PREFERENCES}, not with ${name}.`);
  const { id: format, write, loses } = lookUp<Source>(formats, name, "format");
  if (write === undefined)
    throw new EngineError("read-only-format", `Nothing is written as ${format}; it is read only. Export "atif".`);
  // A target that ends in a slash asks for a folder; resolving alone would lose that.
  const path = resolve(context.cwd, out) + (/[/\\]$/.test(out) ? sep : "");
  const { where, overwrite, noContent } = input;
  await readStore(input, context, async (store, scope) => {
    const total = await countMatches(store, where, scope);
    if (total === 0)
      throw usageError("No stored trajectory matches, so nothing was written. Try limbeck runs, or another --where.");
    if (loses !== "") context.show.losses(format, loses);
    const progress = context.progress({ label: `Exporting to ${out}`, total });
    const written = await write(path, store.trajectories({ ...scope, ...withoutUndefined({ where }) }), {
      signal: context.signal,
      onProgress: (done) => progress.update(done),
      overwrite,
      content: !noContent,
    }).finally(progress.end);
    context.emit({ path, format, ...written, loses });
    context.show.written({ out, format, count: written.trajectories, bytes: written.bytes });
  });
}

/** How many there are, for the progress bar; also finds a faulty condition before a file is touched. */
async function countMatches(store: Store, where: string | undefined, scope: QueryOptions): Promise<number> {
  // The line break ends a comment in the condition before the bracket closes.
  const condition = where === undefined ? "" : ` where (${where}\n)`;
  const { rows } = await store.query(`select count(*) from trajectories${condition}`, {
    ...scope,
    trusted: where === undefined,
  });
  return Number(rows[0]?.[0] ?? 0);
}

/** One pair a line: prompt, chosen and rejected as chat messages. */
async function writePairs(input: ExportInput & { readonly out: string }, context: ExportContext): Promise<void> {
  const { pairs: source = "episodes", where, out, overwrite } = input;
  const { signal } = context;
  // Before anything is read: a wrong name should not cost the reading of a whole store.
  getPairSource(source);
  const trajectories: Trajectory[] = [];
  await readStore(input, context, async (store, scope) => {
    for await (const one of store.trajectories({ ...scope, ...withoutUndefined({ where }) })) {
      throwIfAborted(signal);
      // Text is all that is written, and tokens are most of what is stored.
      trajectories.push({ ...one, streams: [], steps: one.steps.map(({ span: _span, ...step }) => step) });
    }
  });
  const pairs = findPairs(source, trajectories);
  if (pairs.length === 0) {
    const read = `${trajectories.length.toLocaleString("en-US")} stored ${trajectories.length === 1 ? "trajectory" : "trajectories"}`;
    throw usageError(
      `No pairs of ${source} among ${read}, so nothing was written. Pairs need different outcomes of the same task; try another --pairs, --run or --where.`,
    );
  }
  const path = resolve(context.cwd, out);
  const bytes = await writeFileSafely(path, pairLines(source, pairs, trajectories), { signal, overwrite });
  context.emit({ path, format: PREFERENCES, trajectories: trajectories.length, pairs: pairs.length, bytes });
  context.show.written({ out, format: PREFERENCES, count: pairs.length, pairs: source, bytes });
}

async function* pairLines(
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
