/** `limbeck trainer`: the local policy behind the Tinker protocol, for trainings on other machines. */
import { resolve } from "node:path";
import { storeFolder } from "../with-store.ts";
import { withoutUndefined } from "../../base/fields.ts";
import type { Trainer } from "../../tinker-server/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import {
  addressOptions,
  forOption,
  givenAccess,
  givenPort,
  givenTime,
  givenTls,
  problemSink,
  serveUntilOver,
} from "../listening.ts";
import { cleanLine } from "../look/clean-text.ts";
import { maybeCount } from "../model/open-given.ts";
import { flag, text } from "../options.ts";

const DEFAULT_PORT = "4143";

export const trainer: Command = {
  group: "learn",
  summary: "Serve a model to trainings on other machines, in the Tinker protocol",
  usage: "[--model DIR] [--port NUMBER] [--host ADDRESS] [--checkpoints DIR]",
  description:
    "Holds the weights, computes gradients and samples; the training itself runs wherever limbeck train --trainer is started, and any other client of the Tinker protocol may use it too. Full weights (rank 0) and adapters.\n" +
    "Beyond this machine (--host) it needs a key, in LIMBECK_TRAINER_KEY, which clients send from TINKER_API_KEY, or --tokens FILE (docs/security.md); and it speaks plain HTTP unless --tls-cert and --tls-key are given. /healthz, /readyz and /metrics (with the key) are for those who watch it. Checkpoints are kept on disk and outlive the server; models, and sessions that fall silent, do not. Ctrl-C ends it.",
  options: {
    model: text("DIR", "The base model's folder. Default: the bundled one"),
    name: text("NAME", "What clients call the base model. Default: the folder's name"),
    ...addressOptions(DEFAULT_PORT),
    checkpoints: text("DIR", "Folder of checkpoints. Default: trainer in the store"),
    "max-models": text("N", "Models that learn at the same time. Default: 8"),
    "max-queue": text("N", "Work that may wait; more is told to come back (429). Default: 4096"),
    "max-rank": text("N", "Largest rank of an adapter. Default: 64"),
    "lora-only": flag("Do not train full weights"),
    threads: text("N", "Threads of the engine. Default: its own choice"),
    for: forOption,
  },
  examples: [
    "limbeck trainer",
    "limbeck trainer --model models/qwen3-small --port 4143",
    "LIMBECK_TRAINER_KEY=… limbeck trainer --host 0.0.0.0 --model models/qwen3-small",
  ],
  jsonFields: {
    event: "listening, problem or stopped",
    url: "address for --trainer and TINKER_BASE_URL",
    model: "what clients call the base model",
    key: "whether a key is asked for",
    checkpoints: "folder of checkpoints",
    message: "problem: what went wrong",
  },
  natives: ["onnxruntime"],
  run: serve,
};

async function serve(invocation: Invocation): Promise<number> {
  const { io } = invocation;
  const { startTrainer } = await import("../../tinker-server/index.ts");
  const { packageVersion } = await import("../../base/package-info.ts");
  const lastsMs = givenTime(invocation, "for");
  const access = await givenAccess(invocation);
  const apiKey = io.env["LIMBECK_TRAINER_KEY"] || undefined;
  const checkpoints = resolve(
    io.cwd,
    invocation.text("checkpoints") ?? `${storeFolder(invocation, "give --checkpoints DIR")}/trainer`,
  );
  const started = await startTrainer({
    model: await modelFolder(invocation),
    checkpoints,
    version: packageVersion(),
    port: givenPort(invocation, DEFAULT_PORT),
    tls: await givenTls(invocation),
    ...access,
    fullWeights: !invocation.flag("lora-only"),
    local: withoutUndefined({ threads: maybeCount(invocation, "threads") }),
    onProblem: problemSink(invocation),
    ...withoutUndefined({
      maxModels: maybeCount(invocation, "max-models"),
      maxRank: maybeCount(invocation, "max-rank"),
      maxQueue: maybeCount(invocation, "max-queue"),
      name: invocation.text("name"),
      host: invocation.text("host"),
      apiKey,
    }),
  });
  const told = (): void =>
    announce(invocation, started, checkpoints, apiKey !== undefined || access.tokens !== undefined);
  await serveUntilOver(invocation, started, { announce: told, lastsMs, audit: access.audit });
  if (invocation.json) invocation.printJson({ event: "stopped", url: started.url });
  return EXIT.done;
}

function announce(invocation: Invocation, { url, baseModel }: Trainer, checkpoints: string, key: boolean): void {
  if (invocation.json) {
    invocation.printJson({ event: "listening", url, model: baseModel, key, checkpoints });
    return;
  }
  const { style } = invocation;
  invocation.print(`Serving ${style.bold(cleanLine(baseModel))}${key ? ", with a key" : ""}. Train with it:`);
  invocation.print(`  limbeck train --trainer ${style.cyan(url)}`);
  invocation.note(style.dim(`Checkpoints: ${cleanLine(checkpoints)}. Ctrl-C ends it.`));
}

async function modelFolder(invocation: Invocation): Promise<string> {
  const given = invocation.text("model");
  if (given !== undefined) return resolve(invocation.io.cwd, given);
  const { bundledModel } = await import("../../policy/local/bundled-model.ts");
  return bundledModel("household");
}
