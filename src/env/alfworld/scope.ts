/** The variables of a text and what they stand for: few enough that a list is faster than a map. */
export class Scope {
  readonly names: string[] = [];
  readonly types: string[] = [];
  readonly entities: number[] = [];

  push(name: string, type: string, entity: number): void {
    this.names.push(name);
    this.types.push(type);
    this.entities.push(entity);
  }

  pop(): void {
    this.names.pop();
    this.types.pop();
    this.entities.pop();
  }

  /** What the name stands for now, or -1. The latest meaning counts. */
  named(name: string): number {
    return this.entities[this.names.lastIndexOf(name)] ?? -1;
  }

  /** Queries tell variables apart by name and type. */
  find(name: string, type: string): number {
    for (let index = this.names.length - 1; index >= 0; index -= 1) {
      if (this.names[index] === name && this.types[index] === type) return this.entities[index] as number;
    }
    return -1;
  }
}
