/** Which handler a request goes to. */
import { HttpFailure } from "./http-failure.ts";
import { TRAINER_ROUTES } from "./roles.ts";

export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export interface Reply {
  /** Default: 200. */
  readonly status?: number;
  readonly json?: object;
  /** In the place of JSON, for a client that asked for it. */
  readonly protobuf?: Uint8Array;
  readonly stream?: AsyncIterable<Uint8Array | string>;
  readonly headers?: Readonly<Record<string, string>>;
}

export type Handler = (call: Call) => Promise<Reply> | Reply;

/** "POST /api/v1/forward", with {name} for a part of the path. */
export type RouteTable = Readonly<Record<string, Handler>>;

export interface RouteMatch {
  readonly handler: Handler;
  readonly params: Readonly<Record<string, string>>;
}

export function createRouter(table: RouteTable): (method: string, path: string) => RouteMatch {
  const routes = Object.entries(table).map(([key, handler]) => {
    if (!Object.hasOwn(TRAINER_ROUTES, key)) throw new Error(`"${key}" has no role in tinker-server/roles.ts.`);
    const [method = "", pattern = ""] = key.split(" ");
    return { method, parts: pattern.split("/"), handler };
  });
  return (method, path) => {
    const parts = path.split("/");
    const here = routes.flatMap(({ parts: wanted, ...route }) => {
      const params = match(wanted, parts);
      return params === undefined ? [] : [{ ...route, params }];
    });
    const found = here.find((route) => route.method === method);
    if (found !== undefined) return found;
    throw here.length > 0 ? new HttpFailure(405, "Method Not Allowed") : new HttpFailure(404, "Not Found");
  };
}

function match(wanted: readonly string[], parts: readonly string[]): Record<string, string> | undefined {
  if (wanted.length !== parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [at, want] of wanted.entries()) {
    const part = parts[at] ?? "";
    if (want.startsWith("{")) params[want.slice(1, -1)] = decodeURIComponent(part);
    else if (want !== part) return undefined;
  }
  return params;
}
