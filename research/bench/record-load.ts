/** Asks at a steady rate from a process of its own, and prints the times of the answers in milliseconds as JSON. */
import { Agent, request } from "node:http";

const [address = "", rateText = "100", secondsText = "5", runs = "x"] = process.argv.slice(2);
const [rate, seconds] = [Number(rateText), Number(secondsText)];
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const body = JSON.stringify({
  model: "scripted",
  stream: true,
  messages: [
    { role: "system", content: "You compare cities. ".repeat(50) },
    { role: "user", content: "Which is warmer, Paris or Rome? ".repeat(20) },
  ],
});

/** To the last byte of a streamed answer. */
function ask(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      authorization: "Bearer key-in-use-123456",
    };
    const asked = request(`${address}${path}`, { method: "POST", agent, headers }, (response) => {
      response.resume();
      response.on("end", () => resolve(performance.now() - started));
      response.on("error", reject);
    });
    asked.on("error", reject);
    asked.end(body);
  });
}

const times: Promise<number>[] = [];
const started = performance.now();
await new Promise<void>((resolve) => {
  const timer = setInterval(() => {
    // As many as the clock says, so that a late timer does not lower the rate.
    const due = Math.floor(((performance.now() - started) / 1000) * rate);
    while (times.length < Math.min(due, rate * seconds)) {
      times.push(ask(runs === "" ? "/v1/chat/completions" : `/run/${runs}-${times.length % 50}/v1/chat/completions`));
    }
    if (times.length < rate * seconds) return;
    clearInterval(timer);
    resolve();
  }, 2);
});
process.stdout.write(JSON.stringify(await Promise.all(times)));
agent.destroy();
