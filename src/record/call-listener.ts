/** Hears a call that passes through the proxy and enters it into the book. Runs after the bytes were passed on. */
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";
import type { Listener } from "./forward.ts";
import { createAnswerReader, type AnswerReader } from "./recorder/answer-reader.ts";
import type { CallBook, CallScope, OpenCall } from "./recorder/call-book.ts";
import { parseObject, type CallLine } from "./recorder/lines.ts";
import type { Shape } from "./recorder/shape.ts";

export interface CallListenerOptions {
  readonly book: CallBook;
  readonly scope: CallScope;
  readonly shape: Shape;
  readonly write: (line: CallLine) => void;
  readonly onError: (error: unknown) => void;
}

const UNPACK: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  gzip: gunzipSync,
  br: brotliDecompressSync,
  deflate: inflateSync,
};
const LONGEST_PACKED = 16 * 1024 * 1024;

export function createCallListener(options: CallListenerOptions): Listener {
  const { book, scope, shape, write, onError } = options;
  const decoder = new TextDecoder();
  let call: OpenCall | undefined;
  let reader: AnswerReader | undefined;
  let unpack: ((bytes: Buffer) => Buffer) | undefined;
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
      }),
    answering: (status, contentType, encoding) =>
      safely(() => {
        reader = createAnswerReader(shape, status, contentType);
        unpack = UNPACK[encoding];
      }),
    piece: (bytes) =>
      safely(() => {
        call?.arrived();
        packedBytes += bytes.length;
        if (unpack === undefined) reader?.push(decoder.decode(bytes, { stream: true }));
        else if (packedBytes <= LONGEST_PACKED) packed.push(bytes);
      }),
    // Later than the answer itself: parsing and redaction must not hold up other agents' bytes.
    end: (fault) => {
      setImmediate(() =>
        safely(() => {
          if (unpack !== undefined) reader?.push(unpack(Buffer.concat(packed)).toString("utf8"));
          const answer = reader?.end(fault === undefined) ?? { complete: false };
          call?.finish(fault === undefined ? answer : { ...answer, error: fault, complete: false });
        }),
      );
    },
  };
}
