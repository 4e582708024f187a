/** Files to rows: trajectories by any format, split into what is trained on and what is held out. */
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { createRng, EngineError, lookUp, shuffle, throwIfAborted } from "../../base/index.ts";
import { chooseTrajectories } from "../../distill/index.ts";
import type { TrainRow } from "../../policy/index.ts";
import type { LocalModel } from "../../policy/local/local-model.ts";
import { requireTokenizer } from "../../policy/local/open-model.ts";
import type { Skip, Source as Format } from "../../store/formats/source.ts";
import { buildCloningRows } from "../../objective/index.ts";
import { createForest, type Trajectory } from "../../trajectory/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { plural } from "../look/units.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

export interface Source {
  readonly path: string;
  readonly bytes: number;
  readonly format: Format;
}

export interface Rows {
  readonly train: readonly TrainRow[];
  readonly heldOut: readonly TrainRow[];
  readonly fingerprint: string;
  readonly trajectories: number;
  readonly tokens: number;
  readonly trainedTokens: number;
  /** Trajectories that were read as exact tokens. */
  readonly exact: number;
  readonly cut: number;
  readonly empty: number;
  readonly skipped: number;
}

/** Every file is looked at before the model is opened: a typing error in the last name must not cost minutes. */
export async function findSources(invocation: Invocation): Promise<Source[]> {
  // A shell turns `--in *.jsonl` into one value and further words.
  const files = [...invocation.texts("in"), ...invocation.positionals];
  if (files.length === 0) throw usageError('"limbeck sft" needs --in FILE, chats or trajectories to train on.');
  const { formats, detectFormat } = await import("../../store/formats/index.ts");
  const named = invocation.text("format");
  const sources: Source[] = [];
  for (const file of files) {
    const path = resolve(invocation.io.cwd, file);
    const { size } = await stat(path).catch((cause: unknown) => {
      throw new EngineError("bad-input", `Cannot read "${file}".`, { details: { file }, cause });
    });
    const format = named === undefined ? await detectFormat(path) : lookUp<Format>(formats, named, "format");
    sources.push({ path, bytes: size, format });
  }
  return sources;
}

/** All, those that succeeded, or of these the ones that are worth most as examples. */
function wantedOf(invocation: Invocation, trajectories: readonly Trajectory[]): readonly Trajectory[] {
  if (invocation.text("curate") !== undefined) {
    const chosen = chooseTrajectories(trajectories, givenCount(invocation, "curate", 1));
    return trajectories.filter(({ id }) => chosen.has(id));
  }
  return invocation.flag("successful") ? trajectories.filter(({ success }) => success === true) : trajectories;
}

export async function readRows(
  invocation: Invocation,
  model: LocalModel,
  sources: readonly Source[],
  seed: number,
): Promise<Rows> {
  const { trajectories, skipped } = await readTrajectories(invocation, sources);
  const wanted = wantedOf(invocation, trajectories);
  const { contextLength, vocabularySize } = model.config;
  const most = Math.min(contextLength, givenCount(invocation, "max-tokens", contextLength, 2));
  const options = {
    tokenizer: requireTokenizer(model),
    chat: model.chat,
    vocabularySize,
    maxTokens: most,
    tokens: (invocation.text("tokens") ?? "auto") as "auto" | "exact" | "text",
    forest: createForest(trajectories),
  };
  const made = wanted.map((trajectory) => buildCloningRows(trajectory, options));
  // Whole trajectories are held out: rows of one would tell about each other.
  const share = givenNumber(invocation, "held-out", { otherwise: 0.05, low: 0, high: 0.9 });
  const count = made.length < 2 ? 0 : Math.min(made.length - 1, Math.round(made.length * share));
  const order = shuffle([...made.keys()], createRng(seed).split("held out"));
  const held = new Set(order.slice(0, count));
  const rows = (keep: (at: number) => boolean): TrainRow[] => made.flatMap((entry, at) => (keep(at) ? entry.rows : []));
  const train = rows((at) => !held.has(at));
  if (train.length === 0) {
    throw new EngineError(
      "bad-input",
      `There is nothing to train on: ${plural(trajectories.length, "trajectory", "trajectories")}, ${wanted.length} wanted, none with a reply that fits ${most} tokens.`,
    );
  }
  const total = (pick: (entry: (typeof made)[number]) => number): number =>
    made.reduce((sum, entry) => sum + pick(entry), 0);
  return {
    train,
    heldOut: rows((at) => held.has(at)),
    fingerprint: fingerprint(train),
    trajectories: wanted.length,
    tokens: train.reduce((sum, { ids }) => sum + ids.length, 0),
    trainedTokens: train.reduce((sum, { mask }) => sum + mask.reduce((ones, one) => ones + one, 0), 0),
    exact: made.filter(({ source }) => source === "exact").length,
    cut: total(({ cut }) => cut),
    empty: total(({ empty }) => empty),
    skipped,
  };
}

async function readTrajectories(
  invocation: Invocation,
  sources: readonly Source[],
): Promise<{ readonly trajectories: Trajectory[]; readonly skipped: number }> {
  const trajectories: Trajectory[] = [];
  let skipped = 0;
  const total = sources.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = invocation.progress({ label: "Reading", total, unit: "bytes" });
  try {
    let before = 0;
    for (const { path, bytes, format } of sources) {
      const stream = format.read(path, {
        lenient: invocation.flag("lenient"),
        signal: invocation.io.signal,
        onProgress: (done) => progress.update(before + done),
        onSkip: (skip: Skip) => {
          skipped += 1;
          if (invocation.json) invocation.printJson({ event: "skip", ...skip });
          invocation.note(`Left out: ${cleanLine(skip.message)}`);
        },
      });
      for await (const trajectory of stream) {
        throwIfAborted(invocation.io.signal);
        // Two files may use the same ids; branches find their parents within their own file.
        trajectories.push(
          sources.length === 1
            ? trajectory
            : renamed(
                trajectory,
                sources.findIndex((source) => source.path === path),
              ),
        );
      }
      before += bytes;
    }
  } finally {
    progress.end();
  }
  return { trajectories, skipped };
}

function renamed(trajectory: Trajectory, file: number): Trajectory {
  const { parent } = trajectory;
  return {
    ...trajectory,
    id: `${file}/${trajectory.id}`,
    ...(parent === undefined ? {} : { parent: { ...parent, trajectory: `${file}/${parent.trajectory}` } }),
  };
}

function fingerprint(rows: readonly TrainRow[]): string {
  const hash = createHash("sha256");
  for (const { ids, mask } of rows) hash.update(String(ids.length)).update(ids).update(mask);
  return hash.digest("hex").slice(0, 16);
}
