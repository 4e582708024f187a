/** Looks at what passes through a stream without changing when or how it passes. */

export interface Watcher<T> {
  readonly each: (item: T) => void;
  /** Once: `whole` when the source came to its end, with its error when it broke, neither when the reader left. */
  readonly end: (whole: boolean, error?: unknown) => void;
}

/** Pulls only when it is pulled, so that nothing is buffered and the reader's pace is kept. */
export function watchStream<T>(source: ReadableStream<T>, watcher: Watcher<T>): ReadableStream<T> {
  const reader = source.getReader();
  return new ReadableStream<T>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            watcher.end(true);
            controller.close();
            return;
          }
          watcher.each(value);
          controller.enqueue(value);
        } catch (error) {
          watcher.end(false, error);
          controller.error(error);
        }
      },
      cancel: async (reason) => {
        watcher.end(false);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
