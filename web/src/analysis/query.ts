// Rows that fit what was typed: a row number, a key, conditions on columns, or part of a text cell.
//
// Conditions are separated by commas, `&` or `and`: `age>60`, `sex=Male, age=42`, `income != high and age <= 30`. The key
// and the outcome can be named like columns. A column is recognised by its name, the longest first, so that names may
// hold any character. Text is compared without case and may stand in quotes; nothing, or `missing`, is a missing cell.

import type { Data } from "../data/data";
import { page, search as words } from "../words";

/** What people type, and what it means; longer ones first. */
const OPERATORS: [string, Operator][] = [
  ["<=", "<="],
  ["=<", "<="],
  [">=", ">="],
  ["=>", ">="],
  ["!=", "!="],
  ["<>", "!="],
  ["==", "="],
  ["≤", "<="],
  ["≥", ">="],
  ["≠", "!="],
  ["<", "<"],
  [">", ">"],
  ["=", "="],
];
type Operator = "<" | ">" | "<=" | ">=" | "=" | "!=";

/** Something of a row that a condition can be about. */
interface Field {
  /** In small letters. */
  name: string;
  title: string;
  text: (row: number) => string;
  /** Null where cells are texts. */
  number: ((row: number) => number) | null;
  isMissing: (row: number) => boolean;
}

interface Condition {
  field: Field;
  operator: Operator;
  value: string;
}

/** The rows that fit, in the order of the table, or what is wrong with the question. */
export interface Found {
  rows: number[];
  problem: string | null;
}

/** Columns, the key and the outcome, those with the longest names first. */
function fieldsOf(data: Data): Field[] {
  const { key } = data.report.rows;
  const { labels, about } = data.report;
  const { truth } = data;
  const found = data.columns
    .filter(({ cells }) => cells !== null)
    .map(
      ({ at, cells, levels, feature }): Omit<Field, "name"> => ({
        title: feature.name,
        text: (row) => data.cell(row, at),
        number: levels ? null : (row) => cells![row],
        isMissing: (row) => data.isMissing(row, at),
      }),
    );
  if (key)
    found.push({
      title: key.name,
      text: (row) => data.key(row) ?? "",
      number: null,
      isMissing: () => false,
    });
  if (truth)
    found.push({
      title: about.target,
      text: (row) => (labels.length > 0 ? (labels[truth[row]] ?? "") : String(truth[row])),
      number: labels.length > 0 ? null : (row) => truth[row],
      isMissing: (row) => Number.isNaN(truth[row]),
    });
  return found
    .filter(({ title }) => title !== "")
    .map((one) => ({ ...one, name: one.title.toLowerCase() }))
    .sort((a, b) => b.name.length - a.name.length);
}

/** The operator at the start of a text. */
function operatorOf(text: string): [string, Operator] | undefined {
  return OPERATORS.find(([typed]) => text.startsWith(typed));
}

/** What the text asks for, if it starts with a name and an operator. */
function startOf(text: string, fields: Field[]): { condition: Condition; value: string } | null {
  const lower = text.toLowerCase();
  for (const field of fields) {
    if (!lower.startsWith(field.name)) continue;
    const after = text.slice(field.name.length).trimStart();
    const operator = operatorOf(after);
    if (!operator) continue;
    const value = after.slice(operator[0].length);
    return { condition: { field, operator: operator[1], value: "" }, value };
  }
  return null;
}

/** Null where the text is not a list of conditions. */
function conditions(fields: Field[], text: string): Condition[] | null {
  const found: Condition[] = [];
  let rest = text.replace(/[\s,&]+$/, "");
  while (rest !== "") {
    const start = startOf(rest, fields);
    if (!start) return null;
    const end = nextStart(start.value, fields);
    const value = start.value.slice(0, end.at).trim();
    found.push({ ...start.condition, value: value.replace(/^(["'])(.*)\1$/, "$2") });
    rest = start.value.slice(end.to);
  }
  return found.length > 0 ? found : null;
}

/** Where the value of a condition ends: at a separator with another condition behind it. */
function nextStart(text: string, fields: Field[]): { at: number; to: number } {
  for (const match of text.matchAll(/\s*,\s*|\s*&+\s*|\s+and\s+/gi)) {
    const to = match.index + match[0].length;
    if (startOf(text.slice(to), fields)) return { at: match.index, to };
  }
  return { at: text.length, to: text.length };
}

/** A number or a date as it was typed; NaN where it is neither. Commas may separate thousands only. */
function typedNumber(data: Data, { field, value }: Condition): number {
  const text = value.replace(/^−/, "-");
  const column = data.columns.find(({ feature }) => feature.name === field.title);
  const unit = column?.feature.time;
  if (unit && /^\d{4}-\d\d-\d\d/.test(text)) {
    const at = Date.parse(`${text.replace(" ", "T")}${text.length > 10 ? "Z" : ""}`);
    return at / (unit === "days" ? 86_400_000 : 1000);
  }
  if (/^-?\d{1,3}(,\d{3})+(\.\d+)?$/.test(text)) return Number(text.replaceAll(",", ""));
  return text === "" ? NaN : Number(text);
}

/** What is wrong with a condition; null where nothing is. */
function problemOf(data: Data, condition: Condition): string | null {
  const { field, operator, value } = condition;
  const isOrder = operator !== "=" && operator !== "!=";
  if (!field.number) return isOrder ? words.noOrder(field.title) : null;
  const isMissing = value === "" || value.toLowerCase() === page.missing;
  if (!isOrder && isMissing) return null;
  return Number.isNaN(typedNumber(data, condition)) ? words.noNumber(value, field.title) : null;
}

function fitting(data: Data, condition: Condition): (row: number) => boolean {
  const { field, operator, value } = condition;
  const wanted = value.toLowerCase();
  if (operator === "=" || operator === "!=") {
    const limit = field.number ? typedNumber(data, condition) : NaN;
    const isEqual = (row: number) => {
      if (field.isMissing(row)) return wanted === "" || wanted === page.missing;
      return field.text(row).toLowerCase() === wanted || field.number?.(row) === limit;
    };
    return operator === "=" ? isEqual : (row) => !isEqual(row);
  }
  const [limit, cell] = [typedNumber(data, condition), field.number!];
  if (operator === "<") return (row) => cell(row) < limit;
  if (operator === ">") return (row) => cell(row) > limit;
  return operator === "<=" ? (row) => cell(row) <= limit : (row) => cell(row) >= limit;
}

/** All rows that fit. */
export function findRows(data: Data, typed: string): Found {
  const text = typed.trim();
  const only = (row: number): Found => ({ rows: [row], problem: null });
  if (text === "") return { rows: [], problem: null };
  const byKey = data.rowOfKey(text);
  if (byKey !== undefined) return only(byKey);
  // A code with zeros in front is no row number.
  const byNumber = /^(0|[1-9][\d,]*)$/.test(text)
    ? data.rowOfNumber(Number(text.replaceAll(",", "")))
    : undefined;
  if (byNumber !== undefined) return only(byNumber);
  const rows = Array.from({ length: data.n }, (_, row) => row);
  const wanted = conditions(fieldsOf(data), text);
  if (wanted) {
    const problem = wanted.map((one) => problemOf(data, one)).find((one) => one !== null);
    if (problem) return { rows: [], problem };
    const fits = wanted.map((one) => fitting(data, one));
    return { rows: rows.filter((row) => fits.every((one) => one(row))), problem: null };
  }
  const part = text.toLowerCase();
  // Text cells are looked at level by level, not row by row.
  const matching = data.columns.map(({ levels }) =>
    (levels ?? []).map((level) => level.toLowerCase().includes(part)),
  );
  const found = rows.filter(
    (row) =>
      data.key(row)?.toLowerCase().includes(part) ||
      data.columns.some(
        ({ at, cells, levels }) =>
          levels && cells && cells[row] > 0 && matching[at][cells[row] - 1],
      ),
  );
  const isQuestion = found.length === 0 && /[<>=≤≥≠]/.test(text);
  return { rows: found, problem: isQuestion ? words.notUnderstood : null };
}
