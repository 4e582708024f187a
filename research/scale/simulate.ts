/** A discrete-event simulation of one training: workers that play, GPUs that sample, a queue, a store, and a learner. */

export interface Cluster {
  /** Places where episodes are played at the same time: machines times jobs of each. */
  readonly workers: number;
  /** Episodes of one job, which a worker plays side by side. */
  readonly group: number;
  /** GPUs that sample. */
  readonly samplers: number;
  /** Conversations that one GPU takes at a time; more wait. */
  readonly rows: number;
  /** Tokens a second of one GPU with so many conversations. */
  readonly tokensPerSecond: (conversations: number) => number;
  /** GPUs that learn; work is split evenly. */
  readonly learners: number;
  readonly redisSecondsPerJob: number;
  readonly askerSecondsPerEpisode: number;
  readonly networkSeconds: number;
}

export interface Work {
  /** Tasks of an update; each is one job. */
  readonly tasks: number;
  readonly steps: number;
  /** Tokens that are sampled in a step. */
  readonly tokensPerStep: number;
  readonly worldSecondsPerStep: number;
  readonly learnSecondsPerUpdate: number;
  /** Updates that may lie between playing and learning. */
  readonly lag: number;
  readonly updates: number;
}

export interface Outcome {
  /** Of the whole training, in seconds. */
  readonly seconds: number;
  readonly episodesPerSecond: number;
  /** Shares of time in which each was busy; of the samplers, of the tokens that they could have sampled. */
  readonly busy: {
    readonly samplers: number;
    readonly learner: number;
    readonly redis: number;
    readonly asker: number;
    readonly workers: number;
  };
}

type Event = readonly [time: number, order: number, act: () => void];

/** The next event first; equal times in the order in which they were planned. */
class Clock {
  now = 0;
  #planned = 0;
  readonly #heap: Event[] = [];

  in(seconds: number, act: () => void): void {
    const event: Event = [this.now + seconds, this.#planned, act];
    this.#planned += 1;
    const heap = this.#heap;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(event, heap[above] as Event)) break;
      heap[at] = heap[above] as Event;
      at = above;
    }
    heap[at] = event;
  }

  run(): void {
    for (let event = this.#next(); event !== undefined; event = this.#next()) {
      this.now = event[0];
      event[2]();
    }
  }

  #next(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const right = heap[below + 1];
      if (right !== undefined && before(right, heap[below] as Event)) below += 1;
      if (before(last, heap[below] as Event)) break;
      heap[at] = heap[below] as Event;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}

function before(one: Event, other: Event): boolean {
  return one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]);
}

/** First come, first served. An array's own shift moves all that are left. */
class Line {
  #begin = 0;
  #items: (() => void)[] = [];

  push(item: () => void): void {
    this.#items.push(item);
  }

  shift(): (() => void) | undefined {
    const item = this.#items[this.#begin];
    if (item === undefined) return undefined;
    this.#begin += 1;
    if (this.#begin === this.#items.length) [this.#begin, this.#items] = [0, []];
    return item;
  }
}

/** A place with so many servers; who comes waits in line. */
class Station {
  busySeconds = 0;
  #active = 0;
  readonly #waiting = new Line();
  readonly #clock: Clock;
  readonly #places: number;

  constructor(clock: Clock, places: number) {
    this.#clock = clock;
    this.#places = places;
  }

  /** `seconds` is asked when its turn has come, with how many are served then, itself included. */
  serve(seconds: (active: number) => number, done: () => void): void {
    const begin = (): void => {
      this.#active += 1;
      const takes = seconds(this.#active);
      this.busySeconds += takes;
      this.#clock.in(takes, () => {
        this.#active -= 1;
        this.#waiting.shift()?.();
        done();
      });
    };
    if (this.#active < this.#places) begin();
    else this.#waiting.push(begin);
  }
}

/** Plays and learns; time is the simulation's own. */
export function simulate(cluster: Cluster, work: Work): Outcome {
  const clock = new Clock();
  const redis = new Station(clock, 1);
  const asker = new Station(clock, 1);
  const workers = new Station(clock, Number.POSITIVE_INFINITY);
  const gpus = Array.from({ length: cluster.samplers }, () => new Station(clock, cluster.rows));
  const idle = new Line();
  let free = cluster.workers;
  let [nextGpu, gpuSeconds, workerSeconds] = [0, 0, 0];

  const takeWorker = (play: () => void): void => {
    if (free === 0) {
      idle.push(play);
      return;
    }
    free -= 1;
    play();
  };
  const giveWorker = (): void => {
    const next = idle.shift();
    if (next === undefined) free += 1;
    else next();
  };

  const episode = (done: () => void): void => {
    const gpu = gpus[nextGpu % gpus.length] as Station;
    nextGpu += 1;
    const step = (left: number): void => {
      if (left === 0) return done();
      const sampled = (): void =>
        gpu.serve(
          (active) => {
            gpuSeconds += work.tokensPerStep / cluster.tokensPerSecond(cluster.rows);
            return (work.tokensPerStep * active) / cluster.tokensPerSecond(active);
          },
          () =>
            workers.serve(
              () => work.worldSecondsPerStep,
              () => step(left - 1),
            ),
        );
      clock.in(cluster.networkSeconds, sampled);
    };
    step(work.steps);
  };

  const job = (done: () => void): void =>
    redis.serve(
      () => cluster.redisSecondsPerJob,
      () =>
        takeWorker(() => {
          const began = clock.now;
          let left = cluster.group;
          const ended = (): void => {
            left -= 1;
            if (left > 0) return;
            workerSeconds += clock.now - began;
            giveWorker();
            asker.serve(() => cluster.askerSecondsPerEpisode * cluster.group, done);
          };
          for (let one = 0; one < cluster.group; one += 1) episode(ended);
        }),
    );

  let [played, learned, learning, learnerSeconds] = [0, 0, false, 0];
  const ready: number[] = [];
  const playNext = (): void => {
    // Batch `played` is played with weights that are at most `lag` updates old when it is learned from.
    if (played >= work.updates || played > learned + work.lag) return;
    const batch = played;
    played += 1;
    let left = work.tasks;
    const ended = (): void => {
      left -= 1;
      if (left > 0) return;
      ready.push(batch);
      learn();
      playNext();
    };
    for (let task = 0; task < work.tasks; task += 1) job(ended);
  };
  const learn = (): void => {
    if (learning || ready.length === 0) return;
    ready.shift();
    learning = true;
    const takes = work.learnSecondsPerUpdate / cluster.learners;
    learnerSeconds += takes;
    clock.in(takes, () => {
      learning = false;
      learned += 1;
      learn();
      playNext();
    });
  };
  playNext();
  clock.run();
  const seconds = clock.now;
  const share = (busy: number, places: number): number => busy / (seconds * places);
  return {
    seconds,
    episodesPerSecond: (work.updates * work.tasks * cluster.group) / seconds,
    busy: {
      samplers: share(gpuSeconds, cluster.samplers),
      learner: share(learnerSeconds, 1),
      redis: share(redis.busySeconds, 1),
      asker: share(asker.busySeconds, 1),
      workers: share(workerSeconds, cluster.workers),
    },
  };
}
