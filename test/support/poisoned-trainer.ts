/** A trainer whose model turns to NaN when the test says so: every log-probability that it gives from then on is null. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

export interface PoisonedTrainer {
  readonly url: string;
  /** Adam's settings of every step that it was asked for. */
  readonly steps: readonly Record<string, number>[];
  readonly isPoisoned: () => boolean;
  poison(): void;
  heal(): void;
}

export interface PoisonOptions {
  /**
   * It holds the settings of a step as SkyRL does with a bfloat16 model: a beta that is 1 in that type poisons everything,
   * and the learning rate comes back as it is held; with "silent" it does not come back.
   */
  readonly coarse?: "told" | "silent";
}

/** In front of a real one; closed when the tests of the file are over. */
export async function poisonedTrainer(trainer: string, { coarse }: PoisonOptions = {}): Promise<PoisonedTrainer> {
  let poisoned = false;
  const steps: Record<string, number>[] = [];
  const notice = (url: string, body: Buffer): void => {
    if (!url.endsWith("/optim_step")) return;
    const { adam_params: adam } = JSON.parse(body.toString()) as { readonly adam_params: Record<string, number> };
    steps.push(adam);
    // The first number that becomes 1 in bfloat16: half a step of 2^-8 below it.
    if (coarse !== undefined && (adam["beta2"] ?? 0) >= 1 - 2 ** -9) poisoned = true;
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "GET", url = "/" } = request;
      const headers = { "content-type": "application/json" };
      const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) };
      notice(url, Buffer.concat(chunks));
      void fetch(new URL(url, trainer), { method, headers, ...body }).then(async (answer) => {
        const bytes = Buffer.from(await answer.arrayBuffer());
        response.writeHead(answer.status, headers);
        const isJson = answer.headers.get("content-type")?.includes("json") === true;
        const isChanged = (poisoned || coarse !== undefined) && answer.ok && isJson;
        const change = (name: string, value: unknown): unknown =>
          name === "limbeck/learning_rate" && coarse !== undefined
            ? coarse === "told"
              ? inBfloat16(value as number)
              : undefined
            : poisoned
              ? withoutNumbers(name, value)
              : value;
        response.end(isChanged ? JSON.stringify(JSON.parse(bytes.toString("utf8"), change)) : bytes);
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
  const url = `http://127.0.0.1:${port}`;
  return { url, steps, isPoisoned: () => poisoned, poison: turn(true), heal: turn(false) };
}

/** The upper half of a float32, rounded to the nearest. */
function inBfloat16(value: number): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer);
  bits[0] = ((bits[0] as number) + 0x8000) & 0xffff0000;
  return new Float32Array(bits.buffer)[0] as number;
}

function withoutNumbers(name: string, value: unknown): unknown {
  if (!name.endsWith("logprobs")) return value;
  if (Array.isArray(value)) return value.map(() => null);
  return typeof value === "object" && value !== null && "data" in value && Array.isArray(value.data)
    ? { ...value, data: value.data.map(() => null) }
    : value;
}
