/**
 * A training on the GPU of this machine: the trainer in Python is started before it and ended after it. When the trainer
 * dies in between, it is started again at the same address, and the run goes on from its last checkpoint.
 */
import { join } from "node:path";
import { EngineError, errorCode } from "limbeck-base/base/errors";
import type { RecipeId } from "limbeck-core/recipe/registry";
import { startingModel } from "limbeck-policy/policy/local/bundled-model";
import type { TrainOptions } from "./options.ts";
import { train, type Trained } from "./train.ts";

type Options = TrainOptions<RecipeId, string> & { readonly dir: string };

/** A trainer of this machine, as `startTorchTrainer` starts it. */
export interface TrainerHere {
  readonly url: string;
  readonly port: number;
  readonly apiKey: string;
  /** Settles when the process has exited, with its last lines; also after `close`. */
  readonly ended: Promise<string>;
  close(): Promise<void>;
}

export interface GpuPlan {
  /** Of an adapter; 0: full weights. */
  readonly rank: number | undefined;
  /** Starts one; with the port and key of the one before, in its place. */
  readonly start: (place: {
    readonly model: string;
    readonly checkpoints: string;
    readonly port?: number;
    readonly apiKey?: string;
  }) => Promise<TrainerHere>;
  /** One call for every death. */
  readonly onDeath: (why: string) => void;
}

/** A trainer that dies this often has a reason of its own, which another start does not cure. */
const MOST_RESTARTS = 3;
/** How a training ends when its trainer was started anew, or is not there. */
const LOST = new Set(["trainer-forgot", "trainer-unreachable", "trainer-broken", "trainer-missing", "trainer-failed"]);

export async function trainOnGpu({ rank, start, onDeath }: GpuPlan, options: Options): Promise<Trained> {
  const model = startingModel(options.world?.id ?? "household", options.model);
  const place = { model, checkpoints: join(options.dir, "trainer") };
  const life = watch(await start(place), (old) => start({ ...place, port: old.port, apiKey: old.apiKey }), onDeath);
  try {
    for (let resume = options.resume ?? false; ; resume = true) {
      const { url, apiKey } = life.current();
      try {
        return await train({ ...options, model, resume, trainer: { url, apiKey, rank } });
      } catch (error) {
        if (!LOST.has(errorCode(error) ?? "") || options.signal?.aborted === true) throw error;
        await life.again(error);
      }
    }
  } finally {
    await life.close();
  }
}

interface Life {
  current(): TrainerHere;
  /** Waits for the next one; throws `error` where no process died. */
  again(error: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Starts it again as soon as it is gone, so that the client gets "unknown" soon instead of nothing for minutes. */
function watch(
  first: TrainerHere,
  start: (old: TrainerHere) => Promise<TrainerHere>,
  onDeath: (why: string) => void,
): Life {
  let current = first;
  let closing = false;
  let restarts = 0;
  let death: { readonly next: Promise<TrainerHere> } | undefined;
  const follow = (trainer: TrainerHere): void => {
    void trainer.ended.then((why) => {
      if (closing || restarts >= MOST_RESTARTS) return;
      restarts += 1;
      onDeath(why);
      const next = start(trainer).then((fresh) => {
        current = fresh;
        follow(fresh);
        return fresh;
      });
      // Callers that wait for the next one (`again`) get the error.
      next.catch(() => undefined);
      death = { next };
    });
  };
  follow(first);
  return {
    current: () => current,
    again: async (error) => {
      if (death === undefined) {
        if (restarts < MOST_RESTARTS) throw error;
        const why = await current.ended;
        throw new EngineError(
          "trainer-died",
          `The trainer died ${restarts + 1} times, at last with ${why}. The run is whole: go on with --resume, a smaller batch, --lora, or a larger device.`,
          { cause: error },
        );
      }
      const { next } = death;
      death = undefined;
      await next;
    },
    close: async () => {
      closing = true;
      // One that did not start needs no closing.
      await death?.next.catch(() => undefined);
      await current.close();
    },
  };
}
