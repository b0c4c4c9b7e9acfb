// Predictions and scores of rows by the server that the page came from (`lmdi serve`), for models that the page does not hold.

import type { Data } from "../data/data";
import type { Cell, RowScorer, Scored } from "./scorer";

/** The mark of the served model; none for a page that was opened as a file. */
export function servedDigest(): string | null {
  return document.querySelector<HTMLMetaElement>("meta[name=lmdi-server]")?.content ?? null;
}

type PerOutput<T> = T | Record<string, T>;

interface Answered {
  prediction: number | string | null;
  probabilities?: Record<string, number>;
  base?: PerOutput<number>;
  scores?: PerOutput<Record<string, number>>;
}

export class ServerClient implements RowScorer {
  private readonly columns: string[];

  constructor(private readonly data: Data) {
    this.columns = data.report.features.map((feature) => feature.name);
  }

  score(rows: Cell[][]): Promise<Scored[]> {
    return this.ask("explain", rows);
  }

  predict(rows: Cell[][]): Promise<Scored[]> {
    return this.ask("predict", rows);
  }

  private async ask(path: "explain" | "predict", rows: Cell[][]): Promise<Scored[]> {
    const response = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ columns: this.columns, rows }),
    });
    const answer = (await response.json()) as { rows: Answered[]; error?: string };
    if (!response.ok) throw new Error(answer.error ?? response.statusText);
    return answer.rows.map((row) => this.scored(row));
  }

  private scored({ prediction, probabilities, base, scores }: Answered): Scored {
    const { labels } = this.data.report;
    const { k } = this.data;
    const of = <T>(value: PerOutput<T>, output: number): T =>
      k === 1 ? (value as T) : (value as Record<string, T>)[labels[output]];
    return {
      prediction: probabilities
        ? labels.map((label) => probabilities[label] ?? NaN)
        : [typeof prediction === "number" ? prediction : NaN],
      scores: scores
        ? Float64Array.from(
            this.columns.flatMap((name) =>
              Array.from({ length: k }, (_, output) => of(scores, output)[name] ?? NaN),
            ),
          )
        : null,
      base: base === undefined ? [] : Array.from({ length: k }, (_, output) => of(base, output)),
    };
  }
}
