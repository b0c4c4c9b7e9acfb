//! Which font draws which letter of a plot.
//!
//! The bundled font draws every letter that it has, so that most plots are the same bytes on every
//! machine. System fonts are searched only for other letters, such as Chinese ones. A run of such
//! letters goes to one font that has them all, if there is one; else each part goes to a font that
//! has it. Letters that no font has are drawn as boxes by the bundled one, and reported.
//!
//! Colour fonts are skipped: their glyphs are images, which a page of outlines cannot hold. Cost:
//! nothing without such letters; else one pass over the headers of the installed fonts.

use super::text::is_mark;
use resvg::usvg::fontdb::{Database, FaceInfo, ID, Style, Weight};
use resvg::usvg::{FontFamily, FontResolver, Options};
use skrifa::raw::types::Tag;
use skrifa::{FontRef, MetadataProvider};
use std::sync::Arc;

const BUNDLED: &[u8] = include_bytes!("../../../fonts/DejaVuSans.ttf");
/// Families of this name and a number are the fonts that were found.
const FOUND: &str = "found-";

/// A picture whose letters have fonts.
pub(super) struct Lettered {
    /// The SVG, with a font named where it is not the bundled one.
    pub svg: String,
    /// Letters that no font has, each once.
    pub missing: Vec<char>,
    fonts: Fonts,
}

impl Lettered {
    /// Finds a font for every letter of a picture.
    pub fn new(svg: &str) -> Self {
        Self::with(svg, Database::load_system_fonts)
    }

    /// The same with other fonts than the system's, which are loaded only where they are needed.
    fn with(svg: &str, load: impl FnOnce(&mut Database)) -> Self {
        let mut fonts = Fonts::bundled();
        let bundled = FontRef::new(BUNDLED).ok();
        let is_foreign = |c: char| {
            !c.is_ascii()
                && !is_ignorable(c)
                && bundled.as_ref().is_some_and(|font| font.charmap().map(c).is_none())
        };
        if !svg.chars().any(is_foreign) {
            return Self { svg: svg.to_owned(), missing: vec![], fonts };
        }
        fonts.load(load);
        let mut lettered = Self { svg: String::with_capacity(svg.len()), missing: vec![], fonts };
        let mut rest = svg;
        // Letters are drawn between `<text ...>` and `</text>`; the title of the document is not.
        while let Some((before, text)) = rest.split_once("<text ").and_then(|(before, _)| {
            let start = before.len() + rest[before.len()..].find('>')? + 1;
            let end = start + rest[start..].find("</text>")?;
            Some((start, end))
        }) {
            lettered.svg.push_str(&rest[..before]);
            for run in runs(&rest[before..text], is_foreign) {
                match run {
                    Run::Own(letters) => lettered.svg.push_str(letters),
                    Run::Foreign(letters) => lettered.push(letters),
                }
            }
            rest = &rest[text..];
        }
        lettered.svg.push_str(rest);
        lettered
    }

    /// Adds letters that the bundled font does not have.
    fn push(&mut self, mut letters: &str) {
        while !letters.is_empty() {
            let (length, font) = self.fonts.longest(letters);
            let (start, rest) = letters.split_at(length);
            match font {
                Some(at) => {
                    let name = format!("<tspan font-family=\"{FOUND}{at}\">{start}</tspan>");
                    self.svg.push_str(&name);
                }
                None => {
                    self.svg.push_str(start);
                    let new = start.chars().filter(|&c| !is_ignorable(c));
                    for c in new {
                        if !self.missing.contains(&c) {
                            self.missing.push(c);
                        }
                    }
                }
            }
            letters = rest;
        }
    }

    /// How the SVG is to be read: each text by the font that was chosen for it, and no other.
    pub fn options(&self) -> Options<'static> {
        let (bundled, found) = (self.fonts.bundled, self.fonts.found.clone());
        let number = |name: &str| name.strip_prefix(FOUND)?.parse::<usize>().ok();
        let select_font = move |font: &resvg::usvg::Font, _: &mut Arc<Database>| {
            let chosen = font.families().iter().find_map(|family| match family {
                FontFamily::Named(name) => number(name).and_then(|at| found.get(at)).copied(),
                _ => None,
            });
            chosen.or(bundled)
        };
        Options {
            fontdb: Arc::new(self.fonts.database.clone()),
            font_resolver: FontResolver {
                select_font: Box::new(select_font),
                select_fallback: Box::new(|_, _, _| None),
            },
            ..Options::default()
        }
    }
}

struct Fonts {
    database: Database,
    bundled: Option<ID>,
    /// Fonts of the system, those that go best with the bundled one first.
    found: Vec<ID>,
}

impl Fonts {
    fn bundled() -> Self {
        let mut database = Database::new();
        database.load_font_data(BUNDLED.to_vec());
        let bundled = database.faces().next().map(|face| face.id);
        Self { database, bundled, found: vec![] }
    }

    fn load(&mut self, load: impl FnOnce(&mut Database)) {
        load(&mut self.database);
        let others = self.database.faces().filter(|face| Some(face.id) != self.bundled);
        let mut faces: Vec<&FaceInfo> = others.collect();
        faces.retain(|face| !is_placeholder(face));
        faces.sort_by_cached_key(|face| preference(face));
        self.found = faces.into_iter().map(|face| face.id).collect();
    }

    /// The longest start of a text that one font has, or the letters at its start that none has.
    fn longest(&self, text: &str) -> (usize, Option<usize>) {
        let mut best = (0, None);
        for (at, &id) in self.found.iter().enumerate() {
            let length = self.covered(id, text);
            if length > best.0 {
                best = (length, Some(at));
            }
            if length == text.len() {
                break;
            }
        }
        if best.0 > 0 {
            return best;
        }
        let letter = text.chars().next().map_or(0, char::len_utf8);
        let marks = text[letter..].chars().take_while(|&c| is_ignorable(c)).map(char::len_utf8);
        (letter + marks.sum::<usize>(), None)
    }

    /// How many bytes at the start of a text a font has outlines for, whole letters with their marks.
    fn covered(&self, id: ID, text: &str) -> usize {
        let length = |data: &[u8], index: u32| {
            let font = FontRef::from_index(data, index).ok()?;
            let is_coloured = [b"COLR", b"SVG ", b"CBDT", b"sbix"]
                .iter()
                .any(|table| font.table_data(Tag::new(table)).is_some());
            if is_coloured {
                return None;
            }
            let (letters, outlines) = (font.charmap(), font.outline_glyphs());
            let has = |c: char| {
                is_ignorable(c) || letters.map(c).is_some_and(|glyph| outlines.get(glyph).is_some())
            };
            let beyond = text.char_indices().find(|&(_, c)| !has(c)).map(|(at, _)| at);
            let Some(end) = beyond else { return Some(text.len()) };
            // A mark that the font lacks takes its letter along.
            let has_mark = text[end..].starts_with(is_mark);
            let letter = text[..end].char_indices().rfind(|&(_, c)| !is_mark(c));
            Some(if has_mark { letter.map_or(end, |(at, _)| at) } else { end })
        };
        self.database.with_face_data(id, length).flatten().unwrap_or(0)
    }
}

/// What goes best with the bundled font: upright, of usual weight, without serifs; then by name, so
/// that one machine always chooses the same.
fn preference(face: &FaceInfo) -> (bool, u16, bool, bool, String, u32) {
    const PLAIN: [&str; 3] = ["Sans", "Gothic", "Hei"];
    let name = &face.post_script_name;
    let is_plain = PLAIN.iter().any(|word| name.contains(word));
    let weight = face.weight.0.abs_diff(Weight::NORMAL.0);
    (face.style != Style::Normal, weight, !is_plain, face.monospaced, name.clone(), face.index)
}

/// Whether a font has a placeholder for every letter instead of the letters.
fn is_placeholder(face: &FaceInfo) -> bool {
    let name = face.post_script_name.replace([' ', '-', '.'], "");
    ["LastResort", "AdobeBlank"].iter().any(|start| name.starts_with(start))
}

/// Whether a character shows nothing where it is not known: joiners, variants and their like.
fn is_ignorable(c: char) -> bool {
    matches!(c as u32,
        0xad | 0x34f | 0x61c | 0x115f..=0x1160 | 0x17b4..=0x17b5 | 0x180b..=0x180f
        | 0x200b..=0x200f | 0x202a..=0x202e | 0x2060..=0x206f | 0x3164
        | 0xfe00..=0xfe0f | 0xfeff | 0xffa0 | 0xe0000..=0xe0fff)
}

/// A part of a text.
enum Run<'a> {
    Own(&'a str),
    Foreign(&'a str),
}

/// A text in runs of letters that the bundled font has and that it does not have. Marks go with
/// their letter.
fn runs(text: &str, is_foreign: impl Fn(char) -> bool) -> Vec<Run<'_>> {
    let mut runs: Vec<(bool, usize)> = Vec::new();
    let starts: Vec<usize> =
        text.char_indices().filter(|&(at, c)| at == 0 || !is_mark(c)).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    for (&start, end) in starts.iter().zip(ends) {
        let foreign = text[start..end].chars().any(&is_foreign);
        match runs.last_mut() {
            Some((last, until)) if *last == foreign => *until = end,
            _ => runs.push((foreign, end)),
        }
    }
    let mut start = 0;
    let mut parts = Vec::with_capacity(runs.len());
    for (foreign, end) in runs {
        let part = &text[start..end];
        parts.push(if foreign { Run::Foreign(part) } else { Run::Own(part) });
        start = end;
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use resvg::tiny_skia::{Pixmap, Transform};
    use resvg::usvg::Tree;
    use std::path::PathBuf;

    /// Fonts of `testdata/fonts`: squares for 年 and 字, half squares for 齢, क and its vowel sign.
    fn lettered(text: &str) -> Lettered {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"500\" height=\"100\">\
             <title>無</title><text x=\"0\" y=\"100\" font-size=\"100\" text-anchor=\"start\">{text}</text></svg>"
        );
        let fonts: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../../testdata/fonts"].iter().collect();
        Lettered::with(&svg, |database| database.load_fonts_dir(fonts))
    }

    /// The text with its fonts.
    fn fonts_of(text: &str) -> String {
        let svg = lettered(text).svg;
        let start = svg.find("<text").unwrap();
        let inside = &svg[start + svg[start..].find('>').unwrap() + 1..];
        let fonts = inside.split("</text>").next().unwrap();
        fonts
            .replace("<tspan font-family=\"found-", "{")
            .replace("\">", ":")
            .replace("</tspan>", "}")
    }

    #[test]
    fn letters_that_the_bundled_font_lacks_come_from_another() {
        // Test Colours comes first by name, and is passed over.
        assert_eq!(fonts_of("age 年齢 = 42"), "age {1:年齢} = 42");
        assert_eq!(fonts_of("年&lt;字&gt;"), "{1:年}&lt;{1:字}&gt;");
        assert_eq!(
            fonts_of("größe, возраст, ηλικία, גיל, عمر"),
            "größe, возраст, ηλικία, גיל, عمر"
        );
        assert_eq!(fonts_of("x क\u{93f} y"), "x {1:क\u{93f}} y");
        assert_eq!(fonts_of("e\u{301} 😀"), "e\u{301} 😀");
    }

    #[test]
    fn letters_that_no_font_has_are_told_once() {
        assert_eq!(lettered("年齢").missing, []);
        assert_eq!(lettered("年無色無\u{200d}\u{fe0f}").missing, ['無', '色']);
        assert_eq!(fonts_of("年無字"), "{1:年}無{1:字}");
        let none = Lettered::with("<text >年</text>", |_| {});
        assert_eq!((none.svg.as_str(), none.missing), ("<text >年</text>", vec!['年']));
    }

    #[test]
    fn fonts_of_the_system_are_not_looked_at_without_need() {
        for text in ["Preis in €", "−3 … “x”", "age\u{ad}d", "\u{fffd}"] {
            Lettered::with(&format!("<text >{text}</text>"), |_| {
                panic!("{text} needs no other font")
            });
        }
    }

    #[test]
    fn found_letters_are_drawn() {
        let found = lettered("年齢");
        let tree = Tree::from_str(&found.svg, &found.options()).unwrap();
        let mut pixels = Pixmap::new(500, 100).unwrap();
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        let is_ink = |x, y| pixels.pixel(x, y).unwrap().alpha() > 0;
        assert!(is_ink(50, 20) && is_ink(50, 80), "the square");
        assert!(!is_ink(150, 20) && is_ink(150, 80), "its lower half beside it");
        assert!(!is_ink(250, 80), "and nothing behind");
    }
}
