import { errorData, type PlainError } from "limbeck-base/base/errors";

/** What an error leaves in a trajectory: plain JSON, whatever its details were. */
export function storedError(error: unknown): PlainError {
  const data = errorData(error);
  try {
    return JSON.parse(JSON.stringify(data)) as PlainError;
  } catch {
    return { code: data.code, message: data.message };
  }
}
