/** A refusal with a status, in the shape that clients of the protocol expect. */
import type { z } from "zod";

export class HttpFailure extends Error {
  readonly status: number;
  /** A text, or FastAPI's list for a body of the wrong shape. */
  readonly detail: unknown;

  constructor(status: number, detail: unknown) {
    super(typeof detail === "string" ? detail : `status ${status}`);
    this.name = "HttpFailure";
    this.status = status;
    this.detail = detail;
  }
}

/** The body as the schema says, or a 422 with one entry per fault. */
export function checkBody<T>(schema: z.ZodType<T>, body: unknown): T {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HttpFailure(
    422,
    parsed.error.issues.map(({ code, path, message }) => ({
      type: code,
      loc: ["body", ...path.map((part) => (typeof part === "symbol" ? String(part) : part))],
      msg: message,
    })),
  );
}
