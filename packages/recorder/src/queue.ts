/**
 * Between the agent and the sink. Nothing here runs inside the agent's call: lines are redacted and written later, tried
 * again when the sink fails, and given up, counted, when too much waits.
 */
import type { Redactor } from "./redact.ts";
import type { JsonObject, RecordLine } from "./lines.ts";
import type { Sink } from "./sink.ts";

export interface QueueOptions {
  readonly sink: Sink;
  readonly redactor: Redactor;
  readonly onError: (error: unknown) => void;
  /** About as many bytes may wait. Default: 32 MiB. */
  readonly maxWaitingBytes?: number;
  /** A sink that takes longer has failed. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /** Waits between tries; doubled each time. */
  readonly retryMs?: number;
}

export interface QueueStatus {
  readonly written: number;
  readonly waiting: number;
  readonly dropped: number;
  /** What the sink last complained of, while it does. */
  readonly problem?: string;
}

const BATCH_BYTES = 4 * 1024 * 1024;
const LONGEST_RETRY_MS = 60_000;

export class LineQueue {
  readonly #options: QueueOptions;
  readonly #raw: RecordLine[] = [];
  readonly #ready: string[] = [];
  #readyBytes = 0;
  #written = 0;
  #dropped = 0;
  #problem: string | undefined;
  #turn: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  add(line: RecordLine): void {
    this.#raw.push(line);
    this.#schedule(0);
  }

  status(): QueueStatus {
    return {
      written: this.#written,
      waiting: this.#raw.length + this.#ready.length,
      dropped: this.#dropped,
      ...(this.#problem === undefined ? {} : { problem: this.#problem }),
    };
  }

  /** Tries once to write all that waits. Never throws: `status` says what is left. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#turn;
    await this.#start();
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined || this.#turn !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#start();
    }, delayMs);
    // A recorder must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #start(): Promise<void> {
    this.#turn ??= this.#work().finally(() => {
      this.#turn = undefined;
      if (this.#raw.length + this.#ready.length > 0) {
        this.#schedule(this.#failures === 0 ? 0 : this.#retryDelay());
      }
    });
    return this.#turn;
  }

  #retryDelay(): number {
    return Math.min(LONGEST_RETRY_MS, (this.#options.retryMs ?? 500) * 2 ** (this.#failures - 1));
  }

  async #work(): Promise<void> {
    this.#prepare();
    while (this.#ready.length > 0) {
      const batch = this.#batch();
      try {
        await inTime(this.#options.sink.write(batch), this.#options.timeoutMs ?? 30_000);
      } catch (error) {
        this.#failures += 1;
        this.#problem = error instanceof Error ? error.message : String(error);
        this.#options.onError(error);
        return;
      }
      this.#failures = 0;
      this.#problem = undefined;
      this.#written += batch.length;
      for (const line of this.#ready.splice(0, batch.length)) this.#readyBytes -= line.length;
      this.#prepare();
    }
  }

  /** The oldest lines go first, and are given up last: a trajectory without its beginning is worth little. */
  #prepare(): void {
    const most = this.#options.maxWaitingBytes ?? 32 * 1024 * 1024;
    for (const line of this.#raw.splice(0)) {
      try {
        const text = JSON.stringify(redactLine(line, this.#options.redactor));
        if (this.#readyBytes + text.length > most && this.#ready.length > 0) {
          this.#dropped += 1;
          continue;
        }
        this.#ready.push(text);
        this.#readyBytes += text.length;
      } catch (error) {
        this.#dropped += 1;
        this.#options.onError(error);
      }
    }
  }

  #batch(): string[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#ready.length && (count === 0 || bytes < BATCH_BYTES)) {
      bytes += this.#ready[count]?.length ?? 0;
      count += 1;
    }
    return this.#ready.slice(0, count);
  }
}

/** A sink that hangs must not hang who waits for it. */
async function inTime(work: Promise<void>, timeoutMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`The sink did not answer within ${timeoutMs} ms.`)), timeoutMs);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The line with every text redacted. Ids stay ids. */
export function redactLine<Line extends RecordLine>(line: Line, redactor: Redactor): Line {
  const clean = redactor.object(line as unknown as JsonObject);
  return {
    ...clean,
    trajectory: redactor.id(line.trajectory),
    ...("caller" in line && line.caller !== undefined ? { caller: redactor.id(line.caller) } : {}),
    ...("call" in line ? { call: line.call, ...(line.after === undefined ? {} : { after: line.after }) } : {}),
  } as unknown as Line;
}
