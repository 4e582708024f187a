/** `limbeck proxy`: records agents in any language that use a model through its address. */
import { EngineError } from "limbeck-base/base/errors";
import { withoutUndefined } from "limbeck-base/base/fields";
import { input } from "limbeck-base/base/input";
import { isLoopback } from "limbeck-base/base/listen";
import { defineCommand } from "../command-of.ts";
import { problemEvent, serve, serverInputs, type Serving } from "../listening.ts";
import { cleanLine } from "limbeck-base/base/clean-text";
import { plural } from "limbeck-base/base/units";
import { storeFolder } from "../with-store.ts";

const runFact = { run: "run that is recorded into" };

export const proxy = defineCommand({
  group: "data",
  summary: "Record agents in any language through a model proxy",
  description:
    "Set the agent's base address to the one that is printed; it keeps its own key, which is passed on and never\n" +
    "stored. Ids go into the address (http://127.0.0.1:4141/run/RUN/task/TASK/v1) or into the headers x-limbeck-run\n" +
    "and x-limbeck-task; without them, calls that continue each other become one trajectory. Also takes spans\n" +
    "(OTLP/HTTP at /v1/traces), recordings and feedback (/limbeck/v1/…). With --tokens FILE\n" +
    "or LIMBECK_PROXY_TOKEN agents show a token as x-limbeck-token, beside the provider's key. Ctrl-C stores what is open and ends.",
  input: {
    ...serverInputs(4141),
    openai: input.text("URL", "Where OpenAI calls go. Default: https://api.openai.com/v1"),
    anthropic: input.text("URL", "Where Anthropic calls go. Default: https://api.anthropic.com/v1"),
    run: input.text("ID", "Run to record into, made when it is not there", { default: "recorded" }),
    idle: input.time("A trajectory this long without a call is over. Default: 60s"),
    timeout: input.time("A provider this long silent is given up. Default: 10min"),
    patterns: input.texts("PATTERN", "Also leave out what this expression finds", { flag: "redact" }),
    keepEmails: input.flag("Do not leave out e-mail addresses"),
  },
  examples: [
    "limbeck proxy",
    "limbeck proxy --openai https://openrouter.ai/api/v1 --run support-agent",
    "limbeck proxy --redact 'CUST-[0-9]{6}' --idle 5min",
  ],
  events: {
    listening: {
      url: "address of the proxy",
      ...runFact,
      openai: "base address for OpenAI clients",
      anthropic: "base address for Anthropic clients",
      otlp: "address for spans",
    },
    problem: problemEvent,
    stored: { ...runFact, trajectories: "trajectories stored", dropped: "records that could not be kept" },
  },
  run: async (input, frame) => {
    const { createRedactor } = await import("limbeck-recorder/redact");
    const { openRecordings } = await import("limbeck-store/record/open-recordings");
    const { startProxy } = await import("limbeck-store/record/proxy");
    const { run, patterns, openai, anthropic, port, idle: idleMs, timeout: timeoutMs } = input;
    const { style } = frame;
    const redactor = refuseBadPattern(() => createRedactor({ patterns, emails: !input.keepEmails }));
    const root = storeFolder(frame, "record into --store DIR, then limbeck runs copy");
    const token = frame.environment["LIMBECK_PROXY_TOKEN"] || undefined;
    const start = async (place: Serving) => {
      const { onProblem } = place;
      const recordings = await openRecordings({ root, run, onProblem, ...withoutUndefined({ idleMs }) });
      const options = { ...place, recordings, redactor, port, token };
      const started = startProxy({ ...options, ...withoutUndefined({ openai, anthropic, timeoutMs }) });
      const proxy = await started.catch(async (error: unknown) => {
        await recordings.close();
        throw error;
      });
      return { ...proxy, recordings };
    };
    const { recordings } = await serve(input, frame, start, ({ url }, { tokens }) => {
      const addresses = { openai: `${url}/v1`, anthropic: url, otlp: `${url}/v1/traces` };
      frame.emit({ event: "listening", url, run, ...addresses });
      frame.print(`Recording into run ${style.bold(cleanLine(run))}. Point your agent here:`);
      frame.print(`  OPENAI_BASE_URL=${style.cyan(addresses.openai)}`);
      frame.print(`  ANTHROPIC_BASE_URL=${style.cyan(addresses.anthropic)}`);
      frame.print(`  OTEL_EXPORTER_OTLP_ENDPOINT=${style.cyan(url)}`);
      const host = new URL(url).hostname;
      if (!isLoopback(host) && tokens === undefined && token === undefined) {
        const cure = "Give tokens (--tokens FILE), or stay on 127.0.0.1, this machine only.";
        frame.note(`! Everybody who reaches ${host} can record here. ${cure}`);
      }
      frame.note(style.dim("Ctrl-C stores what is open and ends."));
    });
    const { stored, dropped } = recordings.status();
    frame.emit({ event: "stored", run, trajectories: stored, dropped });
    frame.print(`Stored ${plural(stored, "trajectory", "trajectories")} in run ${run}.`);
    if (dropped > 0) frame.note(`! ${plural(dropped, "record")} could not be kept.`);
  },
});

function refuseBadPattern<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new EngineError("bad-option", `--redact: ${error.message}. Nothing was recorded.`, { cause: error });
  }
}
