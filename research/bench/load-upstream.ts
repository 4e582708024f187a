/** A provider in a process of its own whose streams last a second: 20 events, each with the moment at which it was written. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const [EVENTS, EVERY_MS] = [20, 50];

const server = createServer((request, response) => {
  request.resume();
  request.on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    let sent = 0;
    const timer = setInterval(() => {
      sent += 1;
      const written = performance.timeOrigin + performance.now();
      const delta = { role: "assistant", content: ` ${written}` };
      const choices = [{ index: 0, delta, finish_reason: sent === EVENTS ? "stop" : null }];
      response.write(
        `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", model: "stub", choices })}\n\n`,
      );
      if (sent < EVENTS) return;
      clearInterval(timer);
      response.end("data: [DONE]\n\n");
    }, EVERY_MS);
    response.on("close", () => clearInterval(timer));
  });
});
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1\n`);
});
