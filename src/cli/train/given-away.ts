/** Where a training's episodes are played, from the command line: beside the learning, or on a fleet. */
import { join } from "node:path";
import { unknownName, withoutUndefined } from "../../base/index.ts";
import { bundledAddress } from "../../policy/local/bundled-model.ts";
import type { FleetAwayOptions } from "../../fleet/index.ts";
import type { RecipeId } from "../../recipe/index.ts";
import type { TrainOptions } from "../../training/index.ts";
import { CORRECTIONS } from "../../update/index.ts";
import type { Tls } from "../../base/tls.ts";
import type { Invocation } from "../command.ts";
import { givenTls } from "../listening.ts";
import { givenCount, maybeNumber } from "../model/open-given.ts";
import { usageError } from "../parse.ts";

type Options = TrainOptions<RecipeId, string>;

export function givenAway(
  invocation: Invocation,
  dir: string,
  world: NonNullable<Options["world"]>,
): Pick<Options, "lag" | "correction" | "openAway"> {
  const [given, redis] = [invocation.text("lag"), invocation.text("fleet")];
  if (redis === undefined && invocation.flag("fleet-rewards")) {
    throw usageError('"limbeck train --fleet-rewards" is for --fleet URL.');
  }
  if (given === undefined && redis === undefined) {
    const stray = ["correction", "truncate", "reject-above", "serve", "announce"].find(
      (name) => invocation.text(name) !== undefined,
    );
    if (stray === undefined) return {};
    throw usageError(
      `"limbeck train --${stray}" is for --lag N${["serve", "announce"].includes(stray) ? " with --fleet URL" : ""}.`,
    );
  }
  const lag = givenCount(invocation, "lag", 0, 0);
  const correction = givenCorrection(invocation);
  if (redis === undefined) {
    if (invocation.text("serve") !== undefined) throw usageError('"limbeck train --serve" is for --fleet URL.');
    return { lag, correction };
  }
  const serve = givenServe(invocation);
  const openAway: Options["openAway"] = async (share, { run, onNotice, model, strategy, settings, rewards, seed }) => {
    const { openFleetAway } = await import("../../fleet/index.ts");
    const tls = await givenTls(invocation);
    const tokenizer = invocation.text("model") === undefined ? bundledAddress(world.id) : model;
    const fleet = {
      redis,
      world,
      strategy,
      settings,
      tokenizer,
      lag,
      dir: join(dir, "versions"),
      rewardWorkers: invocation.flag("fleet-rewards"),
      rewards,
      seed,
      ...serveWith(serve, tls),
    };
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

function serveWith({ serve }: { readonly serve?: Serve }, tls: Tls | undefined): { readonly serve?: Serve } {
  return serve === undefined ? {} : { serve: { ...serve, tls } };
}

type Serve = NonNullable<FleetAwayOptions["serve"]>;

function givenServe(invocation: Invocation): { readonly serve?: Serve } {
  const [text, announce] = [invocation.text("serve"), invocation.text("announce")];
  if (text === undefined) {
    if (announce === undefined) return {};
    throw usageError('"limbeck train --announce" is for --serve HOST:PORT: it says how workers reach that address.');
  }
  const match = /^(.+):(\d{1,5})$/.exec(text);
  if (match?.[1] === undefined || Number(match[2]) > 65_535) {
    throw usageError(`--serve must be an address and a port that workers reach, such as 10.0.0.5:4145; got "${text}".`);
  }
  const host = match[1].replace(/^\[|\]$/g, "");
  if (announce !== undefined && !isHttp(announce)) {
    throw usageError(
      `--announce must be an address that workers reach, such as http://10.0.0.5:4145; got "${announce}".`,
    );
  }
  // Nobody else can reach that: it means every address of this machine.
  if (announce === undefined && /^(0\.0\.0\.0|::)$/.test(host)) {
    throw usageError(
      `--serve ${text} listens at every address of this machine, and names none that workers could reach. Add --announce http://HOST:${match[2]}, or serve at one address.`,
    );
  }
  const announced = announce === undefined ? {} : { announced: announce.replace(/\/+$/, "") };
  return { serve: { host, port: Number(match[2]), ...announced } };
}

function isHttp(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
