/** `limbeck trainer`: the local policy behind the Tinker protocol, for trainings on other machines. */
import { resolve } from "node:path";
import type { Trainer } from "../../tinker-server/index.ts";
import type { Command, Invocation } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { addressOptions, forOption, givenPort, givenTime, problemSink, serveUntilOver } from "../listening.ts";
import { cleanLine } from "../look/clean-text.ts";
import { givenCount } from "../model/open-given.ts";
import { parseCount } from "../parse.ts";

const DEFAULT_PORT = "4143";

export const trainer: Command = {
  group: "learn",
  summary: "Serve a model to trainings on other machines, in the Tinker protocol",
  usage: "[--model DIR] [--port NUMBER] [--host ADDRESS] [--checkpoints DIR]",
  description:
    "Holds the weights, computes gradients and samples; the training itself runs wherever limbeck train --trainer is started, and any other client of the Tinker protocol may use it too. Full weights (rank 0) and adapters.\n" +
    "Beyond this machine (--host) it needs a key, in LIMBECK_TRAINER_KEY, which clients send from TINKER_API_KEY; and it speaks plain HTTP: put a tunnel or a proxy with encryption in front. Checkpoints are kept on disk and outlive the server; models, and sessions that fall silent, do not. Ctrl-C ends it.",
  options: {
    model: { type: "string", value: "DIR", summary: "The base model's folder; the bundled one unless told" },
    name: { type: "string", value: "NAME", summary: "What clients call the base model; the folder's name unless told" },
    ...addressOptions(DEFAULT_PORT),
    checkpoints: { type: "string", value: "DIR", summary: "Folder of checkpoints; trainer in the store unless told" },
    "max-models": { type: "string", value: "N", summary: "Models that learn at the same time; 8 unless told" },
    "max-rank": { type: "string", value: "N", summary: "Largest rank of an adapter; 64 unless told" },
    "lora-only": { type: "boolean", summary: "Do not train full weights" },
    threads: { type: "string", value: "N", summary: "Threads of the engine; its own choice unless told" },
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
  const { packageVersion } = await import("../package-info.ts");
  const lastsMs = givenTime(invocation, "for");
  const key = io.env["LIMBECK_TRAINER_KEY"];
  const threads = invocation.text("threads");
  const checkpoints = resolve(io.cwd, invocation.text("checkpoints") ?? `${invocation.storeRoot}/trainer`);
  const [name, host] = ["name", "host"].map((option) => invocation.text(option));
  const started = await startTrainer({
    model: await modelFolder(invocation),
    checkpoints,
    version: packageVersion(),
    port: givenPort(invocation, DEFAULT_PORT),
    maxModels: givenCount(invocation, "max-models", 8),
    maxRank: givenCount(invocation, "max-rank", 64),
    fullWeights: !invocation.flag("lora-only"),
    local: threads === undefined ? {} : { threads: parseCount(threads, "threads") },
    onProblem: problemSink(invocation),
    ...(name === undefined ? {} : { name }),
    ...(host === undefined ? {} : { host }),
    ...(key === undefined || key === "" ? {} : { apiKey: key }),
  });
  await serveUntilOver(invocation, started, {
    announce: () => announce(invocation, started, checkpoints, key !== undefined && key !== ""),
    lastsMs,
  });
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
