/** Classes of errors. */

/**
 * What cures the error, and so the exit code of a command that ends with it:
 * - `usage`: call it otherwise; a command, option, name, value or address that does not exist or does not fit.
 * - `input`: give another file, stored run or row; what was given cannot be read or used.
 * - `failed`: neither; the machine, another server, a model or a part in code let the work down.
 * - `interrupted`: nothing is wrong; the caller gave it up.
 */
export type ExitClass = "usage" | "input" | "failed" | "interrupted";
