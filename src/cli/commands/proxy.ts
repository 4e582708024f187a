/** `limbeck proxy`: records agents in any language that use a model through its address. */
import { storeFolder } from "../with-store.ts";
import { EngineError } from "../../base/errors.ts";
import { withoutUndefined } from "../../base/fields.ts";
import { isLoopback } from "../../base/listen.ts";
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
import { plural } from "../look/units.ts";
import { flag, text, texts } from "../options.ts";

const DEFAULT_PORT = "4141";

export const proxy: Command = {
  group: "data",
  summary: "Record agents in any language through a model proxy",
  usage: "[--port NUMBER] [--openai URL] [--anthropic URL] [--run ID]",
  description:
    "Set the agent's base address to the one that is printed; it keeps its own key, which is passed on and never\n" +
    "stored. Ids go into the address (http://127.0.0.1:4141/run/RUN/task/TASK/v1) or into the headers x-limbeck-run\n" +
    "and x-limbeck-task; without them, calls that continue each other become one trajectory. Also takes spans\n" +
    "(OTLP/HTTP at /v1/traces), recordings and feedback (/limbeck/v1/…). With --tokens FILE\n" +
    "or LIMBECK_PROXY_TOKEN agents show a token as x-limbeck-token, beside the provider's key. Ctrl-C stores what is open and ends.",
  options: {
    ...addressOptions(DEFAULT_PORT),
    openai: text("URL", "Where OpenAI calls go. Default: https://api.openai.com/v1"),
    anthropic: text("URL", "Where Anthropic calls go. Default: https://api.anthropic.com/v1"),
    run: text("ID", 'Run to record into, made when it is not there. Default: "recorded"'),
    idle: text("TIME", "A trajectory this long without a call is over. Default: 60s"),
    timeout: text("TIME", "A provider this long silent is given up. Default: 10min"),
    redact: texts("PATTERN", "Also leave out what this expression finds"),
    "keep-emails": flag("Do not leave out e-mail addresses"),
    for: forOption,
  },
  examples: [
    "limbeck proxy",
    "limbeck proxy --openai https://openrouter.ai/api/v1 --run support-agent",
    "limbeck proxy --redact 'CUST-[0-9]{6}' --idle 5min",
  ],
  jsonFields: {
    event: "listening, problem or stored",
    url: "address of the proxy",
    run: "run that is recorded into",
    openai: "base address for OpenAI clients",
    anthropic: "base address for Anthropic clients",
    otlp: "address for spans",
    message: "what went wrong and what to do",
    trajectories: "trajectories stored",
    dropped: "records that could not be kept",
  },
  natives: ["duckdb"],
  run: serve,
};

async function serve(invocation: Invocation): Promise<number> {
  const { createRedactor, openRecordings, startProxy } = await import("../../record/index.ts");
  const run = invocation.text("run") ?? "recorded";
  const onProblem = problemSink(invocation);
  const patterns = invocation.texts("redact");
  const redactor = badPattern(() => createRedactor({ patterns, emails: !invocation.flag("keep-emails") }));
  const [timeoutMs, lastsMs] = [givenTime(invocation, "timeout"), givenTime(invocation, "for")];
  const idleMs = givenTime(invocation, "idle");
  const access = await givenAccess(invocation);
  const recordings = await openRecordings(
    withoutUndefined({
      root: storeFolder(invocation, "record into --store DIR, then limbeck runs copy"),
      run,
      onProblem,
      idleMs,
    }),
  );
  const options = withoutUndefined({
    recordings,
    redactor,
    port: givenPort(invocation, DEFAULT_PORT),
    onProblem,
    timeoutMs,
    openai: invocation.text("openai"),
    anthropic: invocation.text("anthropic"),
    host: invocation.text("host"),
    tls: await givenTls(invocation),
    token: invocation.io.env["LIMBECK_PROXY_TOKEN"] || undefined,
    ...access,
  });
  const proxy = await startProxy(options).catch(async (error: unknown) => {
    await recordings.close();
    throw error;
  });
  const isOpen = options.tokens === undefined && options.token === undefined;
  await serveUntilOver(invocation, proxy, {
    announce: () => announce(invocation, proxy.url, run, isOpen),
    lastsMs,
    audit: access.audit,
  });
  const { stored, dropped } = recordings.status();
  if (invocation.json) invocation.printJson({ event: "stored", run, trajectories: stored, dropped });
  else invocation.print(`Stored ${plural(stored, "trajectory", "trajectories")} in run ${run}.`);
  if (dropped > 0) invocation.note(`! ${plural(dropped, "record")} could not be kept.`);
  return EXIT.done;
}

function announce(invocation: Invocation, url: string, run: string, isOpen: boolean): void {
  const addresses = { openai: `${url}/v1`, anthropic: url, otlp: `${url}/v1/traces` };
  if (invocation.json) {
    invocation.printJson({ event: "listening", url, run, ...addresses });
    return;
  }
  const { style } = invocation;
  invocation.print(`Recording into run ${style.bold(cleanLine(run))}. Point your agent here:`);
  invocation.print(`  OPENAI_BASE_URL=${style.cyan(addresses.openai)}`);
  invocation.print(`  ANTHROPIC_BASE_URL=${style.cyan(addresses.anthropic)}`);
  invocation.print(`  OTEL_EXPORTER_OTLP_ENDPOINT=${style.cyan(url)}`);
  const host = new URL(url).hostname;
  if (!isLoopback(host) && isOpen) {
    invocation.note(
      `! Everybody who reaches ${host} can record here. Give tokens (--tokens FILE), or stay on 127.0.0.1, this machine only.`,
    );
  }
  invocation.note(style.dim("Ctrl-C stores what is open and ends."));
}

function badPattern<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("bad-option", `--redact: ${error.message}. Nothing was recorded.`, { cause: error });
  }
}
