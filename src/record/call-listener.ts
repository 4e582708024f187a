/** Hears a call that passes through the proxy and enters it into the book. Runs after the bytes were passed on. */
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import type { Listener } from "./forward.ts";
import { createAnswerReader, type AnswerReader } from "./recorder/answer-reader.ts";
import type { CallBook, CallScope, OpenCall } from "./recorder/call-book.ts";
import { parseObject, type CallLine, type Fault } from "./recorder/lines.ts";
import type { Shape } from "./recorder/shape.ts";

export interface CallListenerOptions {
  readonly book: CallBook;
  readonly scope: CallScope;
  readonly shape: Shape;
  readonly write: (line: CallLine) => void;
  readonly onError: (error: unknown) => void;
  /** What is still to be done after an answer, for whoever waits for the end. */
  readonly onWork: (work: Promise<void>) => void;
}

type Unpack = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

/** Beside the thread that passes bytes on. A provider writes the key: nothing but these may be found. */
const UNPACK: ReadonlyMap<string, Unpack> = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["br", promisify(brotliDecompress)],
  ["deflate", promisify(inflate)],
]);
const PLAIN = new Set(["", "identity"]);
const LONGEST_PACKED = 16 * 1024 * 1024;
/** A few kilobytes can unpack to gigabytes. */
const LONGEST_UNPACKED = 64 * 1024 * 1024;

export function createCallListener(options: CallListenerOptions): Listener {
  const { book, scope, shape, write, onError, onWork } = options;
  const decoder = new TextDecoder();
  let call: OpenCall | undefined;
  let reader: AnswerReader | undefined;
  let unpack: Unpack | undefined;
  let unreadable: Fault | undefined;
  let answered: (() => void) | undefined;
  const packed: Buffer[] = [];
  let packedBytes = 0;
  const safely = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  return {
    asked: (body) =>
      safely(() => {
        const asked = body === undefined ? undefined : parseObject(body.toString("utf8"));
        // What is not JSON is the provider's to refuse; there is nothing to record.
        if (asked !== undefined) call = book.begin(shape.asked(asked), scope, shape.provider, write);
        answered?.();
      }),
    answering: (status, contentType, encoding) =>
      safely(() => {
        reader = createAnswerReader(shape, status, contentType);
        const packing = encoding.trim().toLowerCase();
        unpack = UNPACK.get(packing);
        if (unpack === undefined && !PLAIN.has(packing)) unreadable = unknownPacking(status, encoding);
      }),
    piece: (bytes) =>
      safely(() => {
        call?.arrived();
        packedBytes += bytes.length;
        if (unreadable !== undefined) return;
        if (unpack === undefined) reader?.push(decoder.decode(bytes, { stream: true }));
        else if (packedBytes <= LONGEST_PACKED) packed.push(bytes);
      }),
    // Later than the answer itself: parsing and redaction must not hold up other agents' bytes.
    end: (fault) => {
      const finish = (problem: Fault | undefined): void =>
        safely(() => {
          const answer = reader?.end(problem === undefined) ?? { complete: false };
          const error = problem ?? unreadable;
          // A provider may refuse before it has read the whole request.
          answered = () => call?.finish(error === undefined ? answer : { ...answer, error, complete: false });
          answered();
        });
      if (unpack === undefined) {
        setImmediate(() => finish(fault));
        return;
      }
      const work = unpack(Buffer.concat(packed), { maxOutputLength: LONGEST_UNPACKED }).then(
        (bytes) => {
          safely(() => reader?.push(bytes.toString("utf8")));
          finish(fault);
        },
        (error: unknown) => {
          // The call was made and answered; it is kept without what cannot be read.
          const why = error instanceof Error ? error.message : String(error);
          onError(new Error(`An answer cannot be unpacked (${why}); the call is kept without it.`));
          finish(fault ?? { code: "bad-answer", message: `The answer cannot be unpacked: ${why}` });
        },
      );
      onWork(work);
    },
  };
}

function unknownPacking(status: number, encoding: string): Fault {
  const packed = `The answer is packed as ${JSON.stringify(encoding.slice(0, 100))}`;
  return {
    code: status >= 400 ? `http-${status}` : "bad-answer",
    message: `${packed}; it was passed on and not recorded, which knows ${[...UNPACK.keys()].join(", ")}.`,
  };
}
