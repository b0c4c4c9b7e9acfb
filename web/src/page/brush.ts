// Rows that are marked in the whole page: all others fade.

/** Rows that the reader marked, and what they are. */
export interface Marked {
  name: string;
  rows: ReadonlySet<number>;
}

/** The class of a dot; rows that are not marked are pale where some are. */
export function brushed(
  marked: Marked | null,
  kind: (row: number) => string,
): (row: number) => string {
  if (!marked) return kind;
  return (row) => (marked.rows.has(row) ? kind(row) : "faded");
}
