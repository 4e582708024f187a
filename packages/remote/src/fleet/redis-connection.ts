/**
 * What others see of a connection. Its class is of an optional package, which the declared types of this one must not name:
 * a program without it could not compile.
 */
export interface RedisConnection {
  readonly status: string;
  disconnect(): void;
}
