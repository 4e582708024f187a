/** Servers without a socket: `fetch` to their made-up hosts is answered in this process, and everything else goes where it went. */

export type Answering = (request: Request) => Response | Promise<Response>;

interface Hosts {
  readonly real: typeof fetch;
  readonly answering: Map<string, Answering>;
  count: number;
}

/** Of this process: test files share it, and each has its own copy of this module where it is alone. */
const shared = globalThis as { limbeckHosts?: Hosts };

function hosts(): Hosts {
  if (shared.limbeckHosts !== undefined) return shared.limbeckHosts;
  const own: Hosts = { real: globalThis.fetch, answering: new Map(), count: 0 };
  const routed = async (...[input, init]: Parameters<typeof fetch>): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    const answer = own.answering.get(url.host);
    if (answer === undefined) return await own.real(input, init);
    const request = new Request(input, init);
    // What never answers ends when whoever asked gives up.
    const gone = new Promise<never>((_, reject) => {
      const give = (): void => reject(request.signal.reason as Error);
      if (request.signal.aborted) give();
      request.signal.addEventListener("abort", give, { once: true });
    });
    return await Promise.race([answer(request), gone]);
  };
  Object.defineProperty(globalThis, "fetch", { value: routed, configurable: true, writable: true });
  shared.limbeckHosts = own;
  return own;
}

export interface InProcess {
  /** `http://HOST`, without a path. */
  readonly url: string;
  readonly close: () => void;
}

/** Until it is closed; then the host cannot be reached, as a server that is gone. */
export function answerInProcess(answer: Answering): InProcess {
  const all = hosts();
  all.count += 1;
  const host = `in-process-${all.count}.invalid`;
  all.answering.set(host, answer);
  const refused = (): never => {
    throw new TypeError("fetch failed", {
      cause: Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
    });
  };
  return { url: `http://${host}`, close: () => void all.answering.set(host, refused) };
}
