/** What went wrong between the page and the server, as a word for the program and a sentence for the reader. */
import type { ApiError } from "../../../src/serve/api.ts";

export class Failure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number, options?: ErrorOptions) {
    super(message, options);
    this.name = "Failure";
    this.code = code;
    this.status = status;
  }
}

/** An answer that is not what was asked for. Its body may be anything: a proxy may have written it. */
export async function readFailure(answer: Response): Promise<Failure> {
  const text = await answer.text().catch(() => "");
  const told = parseError(text);
  if (told !== undefined) return new Failure(told.code, told.message, answer.status);
  if (answer.status === 401 || answer.status === 403) return new Failure("unauthorised", "", answer.status);
  return new Failure("bad-answer", `The server answered with status ${answer.status} and no reason.`, answer.status);
}

export function toFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  if (error instanceof TypeError) return new Failure("no-server", "The server does not answer.", 0, { cause: error });
  return new Failure("page-fault", error instanceof Error ? error.message : String(error), 0, { cause: error });
}

function parseError(text: string): ApiError["error"] | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ApiError>;
    return typeof error?.code === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}
