/** How an episode reaches an MCP server. Names no type of the SDK, which is optional: its types would be missing too. */
import type { Task } from "limbeck-base/trajectory/trajectory";

/** What every transport of the SDK is, and what its clients and servers take. */
export interface McpTransport {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
}

export interface McpOptions {
  /** A new connection for an episode; never shared, because a session is a state. */
  readonly connect: (task: Task) => McpTransport | Promise<McpTransport>;
  /** For connecting and for each call. Default: 30 seconds. */
  readonly timeoutMs?: number;
  /**
   * Whether the same calls on a new connection give the same state and touch nothing outside. Only then can an episode
   * fork: a new session repeats the calls and every answer is compared. Default: False, since a repeated payment is
   * a second payment.
   */
  readonly replayable?: boolean;
  /** Longer answers are cut. Default: 100,000. */
  readonly maxResultCharacters?: number;
}
