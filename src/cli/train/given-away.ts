/** Where a training's episodes are played, from the command line: beside the learning, or on a fleet. */
import { join } from "node:path";
import { unknownName } from "../../base/index.ts";
import { CORRECTIONS } from "../../update/index.ts";
import { openActingThread, type ActingSetup, type TrainingPlan } from "../../training/index.ts";
import { bundledAddress } from "../../policy/local/bundled-model.ts";
import type { Invocation } from "../command.ts";
import { givenCount, givenNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

/** Threads are for this machine; a fleet's workers choose their own. */
export interface AwaySetup extends ActingSetup {
  /** Folder of the run. */
  readonly dir: string;
}

export function givenAway(invocation: Invocation, setup: AwaySetup): Pick<TrainingPlan, "away"> {
  const [lag, redis] = [invocation.text("lag"), invocation.text("fleet")];
  if (lag === undefined && redis === undefined) {
    const stray = ["correction", "truncate", "reject-above", "serve"].find(
      (name) => invocation.text(name) !== undefined,
    );
    if (stray === undefined) return {};
    throw usageError(`"limbeck train --${stray}" is for --lag N${stray === "serve" ? " with --fleet URL" : ""}.`);
  }
  const updates = givenCount(invocation, "lag", 0, 0);
  const method = CORRECTIONS.find((known) => known === (invocation.text("correction") ?? "token"));
  if (method === undefined) throw unknownName(invocation.text("correction") ?? "", CORRECTIONS, "correction");
  const correction = {
    method,
    truncate: givenNumber(invocation, "truncate", { otherwise: 2, low: 0 }),
    rejectAbove:
      invocation.text("reject-above") === undefined
        ? null
        : givenNumber(invocation, "reject-above", { otherwise: 0, low: 0 }),
  };
  const { dir, ...acting } = setup;
  if (redis === undefined) {
    if (invocation.text("serve") !== undefined) throw usageError('"limbeck train --serve" is for --fleet URL.');
    return { away: { lag: updates, correction, open: (share) => openActingThread(acting, share) } };
  }
  const serve = givenServe(invocation);
  const { world, strategy, settings } = acting;
  const tokenizer = invocation.text("model") === undefined ? bundledAddress(world.id) : acting.model;
  const fleet = { redis, world, strategy, settings, tokenizer, lag: updates, dir: join(dir, "versions"), ...serve };
  return {
    away: {
      lag: updates,
      correction,
      open: async (share, { run, onNotice }) => {
        const { openFleetAway } = await import("../../fleet/index.ts");
        return await openFleetAway({ ...fleet, share, run, onNotice });
      },
    },
  };
}

function givenServe(invocation: Invocation): { readonly serve?: { readonly host: string; readonly port: number } } {
  const text = invocation.text("serve");
  if (text === undefined) return {};
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || Number(match[2]) > 65_535) {
    throw usageError(`--serve must be an address and a port that workers reach, such as 10.0.0.5:4145; got "${text}".`);
  }
  return { serve: { host: match[1].replace(/^\[|\]$/g, ""), port: Number(match[2]) } };
}
