/** Keeps so many streams open for so many seconds, and prints how long events were on their way. */
import { Agent, request } from "node:http";
import { median, percentile } from "./load-figures.ts";

const [address = "", streams = "200", seconds = "10"] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: Number(streams) });
const body = JSON.stringify({ model: "stub", stream: true, messages: [{ role: "user", content: "Count." }] });
const ways: number[] = [];
const firsts: number[] = [];
let whole = 0;

function now(): number {
  return performance.timeOrigin + performance.now();
}

async function stream(): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const begun = now();
    let first = true;
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const asked = request(`${address}/v1/chat/completions`, { method: "POST", agent, headers }, (response) => {
      let text = "";
      response.on("data", (bytes: Buffer) => {
        const read = now();
        text += bytes.toString("utf8");
        const events = text.split("\n\n");
        text = events.pop() ?? "";
        for (const event of events) {
          const written = Number(/"content":" ([\d.]+)"/.exec(event)?.[1] ?? Number.NaN);
          if (!Number.isFinite(written)) continue;
          if (first) firsts.push(read - begun);
          first = false;
          ways.push(read - written);
        }
      });
      response.on("end", () => {
        if (response.statusCode === 200) whole += 1;
        resolve();
      });
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const until = now() + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: Number(streams) }, async () => {
    while (now() < until) await stream();
  }),
);
agent.destroy();
process.stdout.write(
  JSON.stringify({ event: median(ways), eventP99: percentile(ways, 0.99), first: median(firsts), streams: whole }),
);
