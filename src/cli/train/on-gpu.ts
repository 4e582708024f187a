/**
 * A training on the GPU of this machine: the trainer in Python is started before it and ended after it. When the trainer
 * dies in between, it is started again at the same address, and the run goes on from its last checkpoint.
 */
import { join } from "node:path";
import { EngineError, errorCode } from "../../base/index.ts";
import { bundledModel, bundledModelFor } from "../../policy/local/bundled-model.ts";
import type { RecipeId } from "../../recipe/index.ts";
import { startTorchTrainer, type TorchTrainer } from "../../tinker-server/torch-trainer.ts";
import { train, type Trained, type TrainOptions } from "../../training/index.ts";
import type { Invocation } from "../command.ts";
import { cleanLine } from "../look/clean-text.ts";
import { maybeCount } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

type Options = TrainOptions<RecipeId, string> & { readonly dir: string };

export interface GivenGpu {
  readonly python: string | undefined;
  readonly device: string | undefined;
  readonly rank: number | undefined;
}

/** A trainer that dies this often has a reason of its own, which another start does not cure. */
const MOST_RESTARTS = 3;
/** How a training ends when its trainer was started anew, or is not there. */
const LOST = new Set(["trainer-forgot", "trainer-unreachable", "trainer-broken", "trainer-missing", "trainer-failed"]);

export function givenGpu(invocation: Invocation): GivenGpu | undefined {
  const [python, device] = [invocation.text("python"), invocation.text("device")];
  if (invocation.flag("gpu")) {
    const other = ["trainer", "base-model"].find((name) => invocation.text(name) !== undefined);
    if (other !== undefined)
      throw usageError(`"limbeck train --gpu" starts a trainer of its own; leave out --${other}.`);
    return { python, device, rank: maybeCount(invocation, "lora", 0) };
  }
  if (python === undefined && device === undefined) return undefined;
  throw usageError(`"limbeck train --${python === undefined ? "device" : "python"}" is for --gpu.`);
}

/** `start` is an argument so that a test can have hold of the trainer. */
export async function trainOnGpu(
  invocation: Pick<Invocation, "io" | "note">,
  gpu: GivenGpu,
  options: Options,
  start: typeof startTorchTrainer = startTorchTrainer,
): Promise<Trained> {
  const { signal } = invocation.io;
  const { python = invocation.io.env["LIMBECK_PYTHON"], device } = gpu;
  const model = options.model ?? bundledModel(bundledModelFor(options.world?.id ?? "household"));
  const place = { model, checkpoints: join(options.dir, "trainer"), python, device, signal };
  // Whoever notices first, the training itself or this loop: a person is told once for every death.
  const tell = (why: string): void =>
    invocation.note(
      `! The trainer died (${cleanLine(why)}). It is started again; the run goes on from its last checkpoint.`,
    );
  const life = watch(await start(place), (old) => start({ ...place, port: old.port, apiKey: old.apiKey }), tell);
  try {
    for (let resume = options.resume ?? false; ; resume = true) {
      const { url, apiKey } = life.current();
      try {
        return await train({ ...options, model, resume, trainer: { url, apiKey, rank: gpu.rank } });
      } catch (error) {
        if (!LOST.has(errorCode(error) ?? "") || signal.aborted) throw error;
        await life.again(error);
      }
    }
  } finally {
    await life.close();
  }
}

interface Life {
  current(): TorchTrainer;
  /** Waits for the next one; throws `error` where nobody died. */
  again(error: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Starts it again as soon as it is gone, so that the client hears "unknown" soon instead of nothing for minutes. */
function watch(
  first: TorchTrainer,
  start: (old: TorchTrainer) => Promise<TorchTrainer>,
  tell: (why: string) => void,
): Life {
  let current = first;
  let closing = false;
  let restarts = 0;
  let death: { readonly next: Promise<TorchTrainer> } | undefined;
  const follow = (trainer: TorchTrainer): void => {
    void trainer.ended.then((why) => {
      if (closing || restarts >= MOST_RESTARTS) return;
      restarts += 1;
      tell(why);
      const next = start(trainer).then((fresh) => {
        current = fresh;
        follow(fresh);
        return fresh;
      });
      // Who waits for the next one (`again`) is told.
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
