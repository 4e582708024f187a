/**
 * Draft heads by total variation and by cross-entropy, and what they are worth on tasks that they were not trained on.
 *
 *     npx tsx research/draft-heads.ts household tools research
 */
import { rollout, openModel } from "limbeck";
import { bundledModel } from "limbeck/local";
import { trainDraftHeads, type TrainedHeads } from "../packages/policy/src/policy/local/draft/train-heads.ts";
import type { BundledModelName } from "../packages/policy/src/policy/starts.ts";
import type { DraftHeadsParts, HeadLoss } from "../packages/policy/src/policy/local/draft/draft-heads.ts";

const LOSSES = ["tv", "ce"] as const satisfies readonly HeadLoss[];
const THREADS = 1;

interface Way {
  readonly name: string;
  readonly draft: "ngram" | "heads";
  readonly draftTree?: "graft";
  readonly draftHeads?: DraftHeadsParts | undefined;
}

interface Row {
  readonly ids: Int32Array;
  readonly mask: Uint8Array;
}

async function saidIn(env: BundledModelName): Promise<Row[]> {
  const model = await openModel(bundledModel(env), { threads: THREADS });
  try {
    const { trajectories } = await rollout({
      env,
      policy: model,
      split: "train",
      tasks: 24,
      group: 4,
      maxSteps: 12,
      seed: 1,
    });
    return trajectories.flatMap(({ streams }) => streams.map(({ ids, mask }) => ({ ids, mask })));
  } finally {
    await model.close();
  }
}

for (const env of process.argv.slice(2) as BundledModelName[]) {
  const rows = await saidIn(env);
  const model = await openModel(bundledModel(env), { threads: THREADS });
  const trained = new Map<HeadLoss, TrainedHeads>();
  for (const loss of LOSSES) {
    const begun = performance.now();
    const made = await trainDraftHeads(model, rows, { loss, steps: 600, threads: THREADS, seed: 1 });
    trained.set(loss, made);
    const shares = made.accepted.map((share) => share.toFixed(3)).join(" ");
    const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
    process.stdout.write(
      `${env} ${loss}: ${made.places} places, held out ${made.heldOut}; kept ${shares}; ${made.tokensPerPass.toFixed(2)} tokens a pass; ${seconds} s\n`,
    );
  }
  await model.close();
  for (const temperature of [1, 0]) {
    const ways: readonly Way[] = [
      { name: "ngram", draft: "ngram" },
      { name: "heads tv", draft: "heads", draftHeads: trained.get("tv")?.heads },
      { name: "heads ce", draft: "heads", draftHeads: trained.get("ce")?.heads },
      { name: "heads tv, graft", draft: "heads", draftTree: "graft", draftHeads: trained.get("tv")?.heads },
    ];
    for (const { name, draftHeads, ...way } of ways) {
      const given = draftHeads === undefined ? {} : { draftHeads };
      const other = await openModel(bundledModel(env), { ...way, ...given, threads: THREADS });
      const options = { split: "test", tasks: 12, group: temperature === 0 ? 1 : 2, maxSteps: 12, seed: 2 };
      await rollout({ env, policy: other, temperature, ...options });
      const { tokens, rows: checks } = other.decoded;
      process.stdout.write(
        `${env} T=${temperature} ${name}: ${(tokens / checks).toFixed(2)} tokens a model call (${tokens} of ${checks})\n`,
      );
      await other.close();
    }
  }
}
