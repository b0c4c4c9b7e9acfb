// What is chosen in the page, and who wants to know when that changes.

import type { Marked } from "./brush";

export interface Choice {
  row: number;
  feature: number;
  output: number;
  /**
   * From where on a number, or the probability of the second of two classes, is decided the other way. Without it the most
   * probable class is predicted.
   */
  threshold: number | null;
  /** Rows that are marked in the whole page. */
  marked: Marked | null;
}

type Listener = (now: Choice, changed: ReadonlySet<keyof Choice>) => void;

export class Selection {
  private readonly listeners: Listener[] = [];

  constructor(private choice: Choice) {}

  get now(): Readonly<Choice> {
    return this.choice;
  }

  set(wanted: Partial<Choice>): void {
    const before = this.choice;
    this.choice = { ...before, ...wanted };
    const keys = Object.keys(wanted) as (keyof Choice)[];
    const changed = new Set(keys.filter((key) => before[key] !== this.choice[key]));
    if (changed.size > 0) for (const listener of this.listeners) listener(this.choice, changed);
  }

  /** Calls now, and on every change of one of these. */
  watch(keys: (keyof Choice)[], listener: Listener): void {
    listener(this.choice, new Set(keys));
    this.listeners.push((now, changed) => {
      if (keys.some((key) => changed.has(key))) listener(now, changed);
    });
  }
}
