/** A trainer whose model turns to NaN when the test says so: every log-probability that it gives from then on is null. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface PoisonedTrainer {
  readonly url: string;
  poison(): void;
  heal(): void;
}

/** In front of a real one; closed when the tests of the file are over. */
export async function poisonedTrainer(trainer: string): Promise<PoisonedTrainer> {
  let poisoned = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", url = "/" } = request;
      const headers = { "content-type": "application/json" };
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      void fetch(new URL(url, trainer), { method, headers, ...body }).then(async (answer) => {
        const bytes = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, headers);
        const isSick = poisoned && answer.ok && bytes.length > 0;
        response.end(isSick ? JSON.stringify(JSON.parse(bytes.toString("utf8"), withoutNumbers)) : bytes);
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const turn = (to: boolean) => (): void => {
    poisoned = to;
  };
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, poison: turn(true), heal: turn(false) };
}

function withoutNumbers(name: string, value: unknown): unknown {
  if (!name.endsWith("logprobs")) return value;
  if (Array.isArray(value)) return value.map(() => null);
  return typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data)
    ? { ...value, data: value.data.map(() => null) }
    : value;
}
