/** Server-sent events read from a response, because a browser's own EventSource cannot say why it failed. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: string;
}

export async function* readStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamMessage> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = createStreamParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser(decoder.decode(value, { stream: true }));
    }
  } finally {
    // It is over; a stream that broke needs no cancelling.
    await reader.cancel().catch(() => undefined);
  }
}

/** Takes the text piece by piece and gives the messages that are complete. */
export function createStreamParser(): (piece: string) => StreamMessage[] {
  let rest = "";
  let [event, id, data] = ["message", undefined as string | undefined, [] as string[]];
  const line = (text: string): StreamMessage | undefined => {
    if (text === "") {
      const message = data.length === 0 ? undefined : { event, id, data: data.join("\n") };
      [event, data] = ["message", []];
      return message;
    }
    const split = text.indexOf(":");
    const name = split < 0 ? text : text.slice(0, split);
    const value = split < 0 ? "" : text.slice(split + 1).replace(/^ /, "");
    if (name === "event") event = value;
    else if (name === "id") id = value;
    else if (name === "data") data.push(value);
    return undefined;
  };
  return (piece) => {
    rest += piece;
    const messages: StreamMessage[] = [];
    for (;;) {
      const end = /\r\n|\n|\r(?!$)/.exec(rest);
      if (end === null) return messages;
      const message = line(rest.slice(0, end.index));
      rest = rest.slice(end.index + end[0].length);
      if (message !== undefined) messages.push(message);
    }
  };
}
