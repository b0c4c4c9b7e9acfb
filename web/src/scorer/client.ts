// Requests to the scorer in its worker, which is started with the first one.

import type { Scorer as Packed } from "../contract";
import type { Cell, RowScorer, Scored } from "./scorer";
import ScorerWorker from "./scorer.worker?worker&inline";

export class ScorerClient implements RowScorer {
  private worker: Worker | null = null;
  private lastId = 0;
  private readonly waiting = new Map<
    number,
    { resolve: (scored: Scored[]) => void; reject: (reason: Error) => void }
  >();

  constructor(private readonly model: Packed) {}

  score(rows: Cell[][]): Promise<Scored[]> {
    const id = ++this.lastId;
    const isFirst = this.worker === null;
    this.worker ??= this.start();
    this.worker.postMessage({ id, rows, ...(isFirst ? { model: this.model } : {}) });
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  predict(rows: Cell[][]): Promise<Scored[]> {
    return this.score(rows);
  }

  private start(): Worker {
    const worker = new ScorerWorker();
    worker.addEventListener("message", ({ data }) => {
      const request = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if (data.scored) request?.resolve(data.scored);
      else request?.reject(new Error(data.failed));
    });
    return worker;
  }
}
