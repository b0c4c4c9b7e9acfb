// Sentences with elements in them.

/** What stands in a sentence: text, or an element with a name or number. */
export type Part = Node | string;

/** A sentence as a list of parts. */
export function says(texts: TemplateStringsArray, ...parts: Part[]): Part[] {
  return texts.flatMap((text, at) => (at < parts.length ? [text, parts[at]] : [text]));
}
