/**
 * The model that a worker has open. One version acts at a time: a job of another one waits until the jobs of this one are
 * done, and then the weights are exchanged in place, so that compiled graphs stay.
 */
import { isDeepStrictEqual } from "node:util";
import type { Dialect, Policy } from "../policy/index.ts";
import type { LocalModel } from "../policy/local/index.ts";
import type { PolicyFiles } from "./job.ts";
import type { PolicyCache } from "./policy-cache.ts";

export interface LeasedModel {
  readonly model: Policy;
  readonly dialect: Dialect;
  readonly release: () => void;
}

export interface Models {
  lease(policy: PolicyFiles): Promise<LeasedModel>;
  close(): Promise<void>;
}

interface Open {
  readonly hash: string;
  readonly model: LocalModel;
  readonly dialect: Dialect;
  readonly tokenizer: string | undefined;
}

export function createModels(cache: PolicyCache, threads: number | undefined): Models {
  let open: Open | undefined;
  let users = 0;
  let exchanging = false;
  let waiting: (() => void)[] = [];
  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const resume of woken) resume();
  };
  const exchange = async (policy: PolicyFiles): Promise<Open> => {
    const { createChatDialect, openModel, requireTokenizer } = await import("../policy/local/index.ts");
    const folder = await cache.folderOf(policy);
    const { hash, version } = policy;
    const tokenizer = policy.files["tokenizer.json"];
    const fresh = await openModel(folder, threads === undefined ? {} : { threads });
    const same =
      open !== undefined &&
      open.tokenizer === tokenizer &&
      isDeepStrictEqual(open.model.config, fresh.config) &&
      open.model.weights.flat.length === fresh.weights.flat.length &&
      open.model.adapter === undefined &&
      fresh.adapter === undefined;
    if (same && open !== undefined) {
      open.model.weights.flat.set(fresh.weights.flat);
      open.model.replaced(version);
      await fresh.close();
      return { ...open, hash };
    }
    await open?.model.close();
    open = undefined;
    fresh.replaced(version);
    return { hash, model: fresh, dialect: await createChatDialect(requireTokenizer(fresh)), tokenizer };
  };
  return {
    lease: async (policy) => {
      for (;;) {
        if (!exchanging && open?.hash === policy.hash) break;
        if (exchanging || users > 0) {
          await new Promise<void>((resolve) => waiting.push(resolve));
          continue;
        }
        exchanging = true;
        try {
          open = await exchange(policy);
        } finally {
          exchanging = false;
          wake();
        }
      }
      users += 1;
      return {
        model: open.model,
        dialect: open.dialect,
        release: () => {
          users -= 1;
          if (users === 0) wake();
        },
      };
    },
    close: async () => {
      await open?.model.close();
      open = undefined;
    },
  };
}
