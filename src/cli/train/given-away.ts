/** Where a training's episodes are played, from the command line: beside the learning, or on a fleet. */
import { join } from "node:path";
import { unknownName, withoutUndefined } from "../../base/index.ts";
import { bundledAddress } from "../../policy/local/bundled-model.ts";
import type { RecipeId } from "../../recipe/index.ts";
import type { TrainOptions } from "../../training/index.ts";
import { CORRECTIONS } from "../../update/index.ts";
import type { Invocation } from "../command.ts";
import { givenCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

type Options = TrainOptions<RecipeId, string>;

export function givenAway(
  invocation: Invocation,
  dir: string,
  world: NonNullable<Options["world"]>,
): Pick<Options, "lag" | "correction" | "openAway"> {
  const [given, redis] = [invocation.text("lag"), invocation.text("fleet")];
  if (given === undefined && redis === undefined) {
    const stray = ["correction", "truncate", "reject-above", "serve"].find(
      (name) => invocation.text(name) !== undefined,
    );
    if (stray === undefined) return {};
    throw usageError(`"limbeck train --${stray}" is for --lag N${stray === "serve" ? " with --fleet URL" : ""}.`);
  }
  const lag = givenCount(invocation, "lag", 0, 0);
  const correction = givenCorrection(invocation);
  if (redis === undefined) {
    if (invocation.text("serve") !== undefined) throw usageError('"limbeck train --serve" is for --fleet URL.');
    return { lag, correction };
  }
  const serve = givenServe(invocation);
  const openAway: Options["openAway"] = async (share, { run, onNotice, model, strategy, settings }) => {
    const { openFleetAway } = await import("../../fleet/index.ts");
    const tokenizer = invocation.text("model") === undefined ? bundledAddress(world.id) : model;
    const fleet = { redis, world, strategy, settings, tokenizer, lag, dir: join(dir, "versions"), ...serve };
    return await openFleetAway({ ...fleet, share, run, onNotice });
  };
  return { lag, correction, openAway };
}

function givenCorrection(invocation: Invocation): NonNullable<Options["correction"]> {
  const asked = invocation.text("correction");
  const method = CORRECTIONS.find((known) => known === asked);
  if (asked !== undefined && method === undefined) throw unknownName(asked, CORRECTIONS, "correction");
  return withoutUndefined({
    method,
    truncate: maybeNumber(invocation, "truncate", { low: 0 }),
    rejectAbove: maybeNumber(invocation, "reject-above", { low: 0 }),
  });
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
