/** What is trained. The address holds the choice, so that it can be passed on. */
import type { JSX } from "preact";
import type { TrainingOrder, Trainings } from "../../../../src/serve/api.ts";
import { plural } from "../../format/numbers.ts";
import { Pick } from "../../parts/pick.tsx";
import { setting, wholeSetting } from "../../route/place.ts";
import { refine, usePlace } from "../../route/use-place.ts";

const NUMBERS = [
  { name: "updates", label: "Updates", least: 1, most: 200 },
  { name: "tasks", label: "Tasks of an update", least: 1, most: 32 },
  { name: "episodes", label: "Episodes of a task", least: 2, most: 32 },
  { name: "heldOut", label: "Held-out tasks", least: 2, most: 500 },
  { name: "seed", label: "Seed", least: 0, most: 1_000_000 },
] as const;

export interface TrainFormProps {
  readonly choices: Trainings;
  readonly busy: boolean;
  readonly start: (order: TrainingOrder) => void;
}

export function TrainForm({ choices, busy, start }: TrainFormProps): JSX.Element {
  const place = usePlace();
  const number = (name: (typeof NUMBERS)[number]["name"]): number => wholeSetting(place, name) ?? choices.start[name];
  const order: TrainingOrder = {
    world: setting(place, "world") ?? choices.start.world,
    recipe: setting(place, "recipe") ?? choices.start.recipe,
    updates: number("updates"),
    tasks: number("tasks"),
    episodes: number("episodes"),
    heldOut: number("heldOut"),
    seed: number("seed"),
  };
  const change = (name: keyof TrainingOrder, value: string): void =>
    refine(place, { [name]: value === String(choices.start[name]) ? undefined : value });
  const meaning = choices.recipes.find(({ id }) => id === order.recipe)?.meaning;
  return (
    <form
      class="card section train-form"
      aria-label="A new training"
      onSubmit={(event) => {
        event.preventDefault();
        start(order);
      }}
    >
      <div class="row">
        <Pick
          label="World"
          value={order.world}
          options={choices.worlds.map((value) => ({ value }))}
          change={(value) => change("world", value)}
        />
        <Pick
          label="Recipe"
          value={order.recipe}
          options={choices.recipes.map(({ id }) => ({ value: id }))}
          change={(value) => change("recipe", value)}
        />
        {NUMBERS.map(({ name, label, least, most }) => (
          <label class="labelled" key={name}>
            {label}
            <input
              class="field short"
              type="number"
              required
              min={least}
              max={most}
              step={1}
              value={order[name]}
              onChange={({ currentTarget }) => change(name, currentTarget.value)}
            />
          </label>
        ))}
      </div>
      <div class="start">
        <button class="button primary" type="submit" disabled={busy}>
          Start
        </button>
        <p class="soft">
          {meaning !== undefined && `${order.recipe}: ${meaning}. `}
          {plural(order.updates * order.tasks * order.episodes, "episode")} to learn from. One training goes at a time.
        </p>
      </div>
    </form>
  );
}
