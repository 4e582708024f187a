/**
 * What the proxy adds: 100 streamed calls a second from one process, through the proxy in another, to a provider in a
 * third; the same without the proxy; the difference of the medians and of the 99th percentiles.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { promisify } from "node:util";
import { createRedactor } from "../../packages/recorder/src/redact.ts";
import { memoryMib, type Bench, type BenchRun } from "./harness.ts";

const run = promisify(execFile);
const [RATE, SECONDS] = [100, 8];

interface Measured {
  readonly median: number;
  readonly p99: number;
}

function start(script: string, ...words: string[]): ChildProcess {
  return spawn(process.execPath, ["--import", "tsx", join(import.meta.dirname, script), ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

/** The first line a child prints. */
async function firstLine(child: ChildProcess): Promise<string> {
  const [bytes] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return bytes.toString("utf8").split("\n")[0] ?? "";
}

async function load(address: string, runs: string): Promise<Measured> {
  const base = address.replace(/\/v1$/, "");
  const script = join(import.meta.dirname, "record-load.ts");
  const words = ["--import", "tsx", script, base, String(RATE), String(SECONDS), runs];
  const { stdout } = await run(process.execPath, words, { maxBuffer: 64 * 1024 * 1024 });
  const times = (JSON.parse(stdout) as number[]).sort((left, right) => left - right);
  const at = (share: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99) };
}

function latencyBench(which: keyof Measured, most: number): Bench {
  return {
    name: `record/proxy-${which}`,
    summary: `Added latency of the proxy at ${RATE} streamed calls a second, ${which === "p99" ? "99th percentile" : "median"}.`,
    unit: "ms",
    goal: { at: "most", value: most },
    repetitions: 3,
    warmUps: 1,
    setUp: async (folder): Promise<BenchRun> => {
      const upstream = start("record-upstream.ts");
      const provider = await firstLine(upstream);
      const cli = join(import.meta.dirname, "../../packages/limbeck/src/cli/bin.ts");
      const words = ["proxy", "--port", "0", "--openai", provider, "--store", folder, "--idle", "2s", "--json"];
      const proxy = spawn(process.execPath, ["--import", "tsx", cli, ...words], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const { url } = JSON.parse(await firstLine(proxy)) as { readonly url: string };
      const seen: Record<string, string> = {};
      let round = 0;
      let left = 4;
      return {
        measure: async () => {
          round += 1;
          const direct = await load(provider, "");
          const through = await load(url, `round-${round}`);
          seen[`round ${round}`] =
            `direct ${direct.median.toFixed(2)}/${direct.p99.toFixed(2)}, through ${through.median.toFixed(2)}/${through.p99.toFixed(2)}`;
          left -= 1;
          if (left === 0) for (const child of [upstream, proxy]) child.kill("SIGTERM");
          return through[which] - direct[which];
        },
        notes: () => ({ ...seen, memoryMib: memoryMib() }),
      };
    },
  };
}

const redaction: Bench = {
  name: "record/redact-5mb",
  summary: "Redacts a tool result of 5 MB of prose and JSON, built-in patterns and two of one's own.",
  unit: "ms",
  goal: { at: "most", value: 500 },
  setUp: async () => {
    const redactor = createRedactor({ patterns: [/CUST-\d{6}/i, "patient \\w+"] });
    const line = 'The order {"id": 4711, "mail": "bob@example.com", "note": "call CUST-123456 tomorrow"} is late. ';
    const text = line.repeat(Math.ceil((5 * 1024 * 1024) / line.length));
    return {
      measure: async () => {
        const started = performance.now();
        redactor.text(text);
        return performance.now() - started;
      },
    };
  },
};

export const recordBenches: readonly Bench[] = [latencyBench("median", 3), latencyBench("p99", 10), redaction];
