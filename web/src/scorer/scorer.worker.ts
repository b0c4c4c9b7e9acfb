// The scorer in a thread of its own, so that unpacking a model and drawing curves never hold up the page.

import type { Scorer as Packed } from "../contract";
import { type Cell, Scorer } from "./scorer";

let scorer: Promise<Scorer> | null = null;

addEventListener("message", async (event: MessageEvent) => {
  const { id, model, rows } = event.data as { id: number; model?: Packed; rows: Cell[][] };
  try {
    if (model) scorer = Scorer.open(model);
    const opened = await scorer!;
    postMessage({ id, scored: rows.map((cells) => opened.score(cells)) });
  } catch (error) {
    postMessage({ id, failed: error instanceof Error ? error.message : String(error) });
  }
});
