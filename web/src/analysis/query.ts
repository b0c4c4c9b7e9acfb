// Rows that fit what was typed: a row number, a key, conditions on columns, or part of a text cell.
//
// Conditions are separated by commas or `and`: `age>60`, `sex=Male, age=42`, `income != high and age <= 30`. A column is
// recognised by its name, the longest first, so that names may hold any character. Text is compared without case.

import type { Data } from "../data/data";

const OPERATORS = ["<=", ">=", "!=", "<", ">", "=", "≤", "≥", "≠"] as const;
type Operator = (typeof OPERATORS)[number];

interface Condition {
  feature: number;
  operator: Operator;
  value: string;
}

/** Null where the text is not a list of conditions. */
function conditions(data: Data, text: string): Condition[] | null {
  const names = data.columns
    .filter(({ cells }) => cells !== null)
    .map(({ at, feature }) => ({ at, name: feature.name.toLowerCase() }))
    .sort((a, b) => b.name.length - a.name.length);
  const found: Condition[] = [];
  let rest = text;
  while (rest !== "") {
    const lower = rest.toLowerCase();
    let next: { condition: Condition; rest: string } | null = null;
    for (const { at, name } of names) {
      if (name === "" || !lower.startsWith(name)) continue;
      const after = rest.slice(name.length).trimStart();
      const operator = OPERATORS.find((one) => after.startsWith(one));
      if (!operator) continue;
      const tail = after.slice(operator.length);
      const end = nextStart(tail, names);
      const value = tail.slice(0, end.at).trim();
      next = { condition: { feature: at, operator, value }, rest: tail.slice(end.to) };
      break;
    }
    if (!next) return null;
    found.push(next.condition);
    rest = next.rest;
  }
  return found.length > 0 ? found : null;
}

/** Where the value of a condition ends: at a comma or `and` with another condition behind it. */
function nextStart(text: string, names: { name: string }[]): { at: number; to: number } {
  for (const match of text.matchAll(/\s*,\s*|\s+and\s+/gi)) {
    const to = match.index + match[0].length;
    const behind = text.slice(to).toLowerCase();
    const starts = names.some(({ name }) => {
      if (name === "" || !behind.startsWith(name)) return false;
      const after = behind.slice(name.length).trimStart();
      return OPERATORS.some((one) => after.startsWith(one));
    });
    if (starts) return { at: match.index, to };
  }
  return { at: text.length, to: text.length };
}

function fits(data: Data, row: number, { feature, operator, value }: Condition): boolean {
  const { cells, levels } = data.columns[feature];
  const wanted = value.toLowerCase();
  const isEqual =
    data.cell(row, feature).toLowerCase() === wanted ||
    (!levels && value !== "" && cells?.[row] === Number(value.replaceAll(",", "")));
  if (operator === "=") return isEqual;
  if (operator === "!=" || operator === "≠") return !isEqual;
  if (!cells || levels || value === "") return false;
  const limit = Number(value.replaceAll(",", ""));
  const cell = cells[row];
  if (operator === "<") return cell < limit;
  if (operator === ">") return cell > limit;
  return operator === "<=" || operator === "≤" ? cell <= limit : cell >= limit;
}

/** All rows that fit, in the order of the table. */
export function findRows(data: Data, typed: string): number[] {
  const text = typed.trim();
  if (text === "") return [];
  const byKey = data.rowOfKey(text);
  if (byKey !== undefined) return [byKey];
  const byNumber = /^[\d,]+$/.test(text)
    ? data.rowOfNumber(Number(text.replaceAll(",", "")))
    : undefined;
  if (byNumber !== undefined) return [byNumber];
  const rows = Array.from({ length: data.n }, (_, row) => row);
  const wanted = conditions(data, text);
  if (wanted) return rows.filter((row) => wanted.every((one) => fits(data, row, one)));
  const part = text.toLowerCase();
  // Text cells are looked at level by level, not row by row.
  const matching = data.columns.map(({ levels }) =>
    (levels ?? []).map((level) => level.toLowerCase().includes(part)),
  );
  return rows.filter(
    (row) =>
      data.key(row)?.toLowerCase().includes(part) ||
      data.columns.some(
        ({ at, cells, levels }) =>
          levels && cells && cells[row] > 0 && matching[at][cells[row] - 1],
      ),
  );
}
