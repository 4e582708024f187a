/** What vitest, jest, mocha's `it` and `node:test` have in common: all that a contract suite asks of a test runner. */
export interface Runner {
  readonly describe: (name: string, body: () => void) => unknown;
  readonly test: (name: string, body: () => Promise<void>) => unknown;
}
