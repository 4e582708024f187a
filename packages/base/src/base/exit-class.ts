/** What cures an error, by its code. */
import { ERROR_CODES, type ExitClass } from "./error-codes.ts";

/** Of any code: what came from elsewhere (Node's own, a server's, a part's) is "failed". */
export function exitClassOf(code: string | undefined): ExitClass {
  return code !== undefined && Object.hasOwn(ERROR_CODES, code)
    ? ERROR_CODES[code as keyof typeof ERROR_CODES]
    : "failed";
}
