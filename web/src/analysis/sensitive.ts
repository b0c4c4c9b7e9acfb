// Columns that may describe traits of people that decisions must not, or not lightly, rest on, recognised by name.
//
// A name is split into words at anything but letters and at capitals: `native-country`, `MaritalStatus`. One word from
// the list is enough. Age counts only where nothing but a unit or a number goes with it, so that the age of a house is
// not mistaken for that of a person.

const TRAITS = new Set(
  (
    "sex gender male female race racial ethnicity ethnic nationality citizenship citizen religion religious marital married " +
    "civil relationship pregnant pregnancy pregnancies disability disabled handicap birth birthplace birthdate dob immigrant " +
    "foreign foreigner country caste sexuality hispanic native language tongue"
  ).split(" "),
);
/** Words that make a trait of something else than a person: the birth of a firm, an advertisement. */
const OTHERWISE = new Set("ad ads app company product shipping".split(" "));
const AGE = new Set(
  "age years year group yrs at of mean admission person applicant customer patient client".split(
    " ",
  ),
);

function wordsOf(name: string): string[] {
  return name
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== "");
}

function isSensitive(name: string): boolean {
  const found = wordsOf(name);
  if (found.some((word) => OTHERWISE.has(word))) return false;
  if (found.some((word) => TRAITS.has(word))) return true;
  return found.includes("age") && found.every((word) => AGE.has(word));
}

/** Those of the names that may describe such a trait, in their order. */
export function sensitiveNames(names: string[]): string[] {
  return names.filter(isSensitive);
}
