//! Text in plots: its width, and how it is shortened and wrapped.
//!
//! Combining marks, such as accents and vowels of Indian scripts, have no width of their own and
//! stay with their letter.

use unicode_width::UnicodeWidthChar;

/// Advance widths of the characters from space to tilde in DejaVu Sans, in thousandths of its size.
const WIDTHS: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// How wide text is, in pixels; about so for characters beyond ASCII.
pub(in crate::plot) fn width_of(text: &str, size: f64) -> f64 {
    text.chars().map(wide).sum::<f64>() * size
}

fn wide(c: char) -> f64 {
    let known = (c as usize).checked_sub(32).and_then(|at| WIDTHS.get(at));
    match known {
        Some(&thousandths) => f64::from(thousandths) / 1000.0,
        None if is_mark(c) => 0.0,
        // Letters of East Asia are square; signs beside the text such as ellipses nearly so.
        None if c.width() == Some(2) || c as u32 >= 0x2000 => 1.0,
        None => 0.7,
    }
}

/// Whether a character takes no room of its own.
pub(in crate::plot) fn is_mark(c: char) -> bool {
    c.width() == Some(0)
}

/// Text that fits into its room: the middle of longer text is left out, because names that start
/// alike often differ in their ends.
pub(in crate::plot) fn fitted(text: &str, size: f64, room: f64) -> String {
    if width_of(text, size) <= room {
        return text.to_owned();
    }
    let room = room - size;
    let part = |letters: &mut dyn Iterator<Item = char>, room: f64| -> Vec<char> {
        let mut used = 0.0;
        letters
            .take_while(|&c| {
                used += wide(c) * size;
                used <= room
            })
            .collect()
    };
    let start = part(&mut text.chars(), 0.65 * room);
    let mut end = part(&mut text.chars().rev(), 0.35 * room);
    end.reverse();
    let end = end.into_iter().skip_while(|&c| is_mark(c));
    start.into_iter().chain(['…']).chain(end).collect()
}

/// Text in lines that fit into their room, broken between words where that is possible. What does
/// not fit into `most` lines ends in an ellipsis.
pub(in crate::plot) fn wrapped(text: &str, size: f64, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let line = lines.pop().unwrap_or_default();
        let joined = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
        if width_of(&joined, size) <= room {
            lines.push(joined);
            continue;
        }
        if !line.is_empty() {
            lines.push(line);
        }
        lines.extend(broken(word, size, room));
    }
    if lines.len() > most {
        lines.truncate(most);
        if let Some(last) = lines.last_mut() {
            while width_of(last, size) > room - size && last.pop().is_some() {}
            last.push('…');
        }
    }
    lines
}

/// A word that may be longer than a line.
fn broken(word: &str, size: f64, room: f64) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0.0;
    for c in word.chars() {
        used += wide(c) * size;
        if used > room && used > wide(c) * size {
            lines.push(String::new());
            used = wide(c) * size;
        }
        if let Some(line) = lines.last_mut() {
            line.push(c);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_in_the_middle_and_fits() {
        let name = format!("first {} last", "x".repeat(200));
        let cut = fitted(&name, 13.0, 200.0);
        assert!(cut.starts_with("first x") && cut.ends_with(" last"), "{cut}");
        assert!(width_of(&cut, 13.0) <= 200.0 && width_of(&cut, 13.0) > 150.0, "{cut}");
        assert_eq!(fitted("short", 13.0, 200.0), "short");
        assert_eq!(fitted(&"年".repeat(50), 10.0, 100.0).chars().count(), 9);
    }

    #[test]
    fn marks_stay_with_their_letters_and_take_no_room() {
        // An e with an acute accent, as two characters: as wide as an e, and never cut in two.
        let name = "e\u{301}".repeat(12);
        assert_eq!(width_of(&name, 10.0), width_of(&"e".repeat(12), 10.0));
        for room in 20..80 {
            let cut = fitted(&name, 10.0, f64::from(room));
            let (start, end) = cut.split_once('…').unwrap_or((&cut, ""));
            for part in [start, end] {
                assert_eq!(part.matches('e').count(), part.matches('\u{301}').count(), "{cut:?}");
                assert!(!part.starts_with('\u{301}'), "{cut:?}");
            }
        }
    }

    #[test]
    fn titles_are_wrapped_between_words() {
        let lines = wrapped("one two three four five six", 10.0, 80.0, 9);
        assert_eq!(lines.join(" "), "one two three four five six");
        assert!(lines.len() > 1 && lines.iter().all(|line| width_of(line, 10.0) <= 80.0));
        let lines = wrapped(&"w".repeat(100), 10.0, 80.0, 3);
        assert_eq!(lines.len(), 3);
        assert!(lines[2].ends_with('…') && lines.iter().all(|line| width_of(line, 10.0) <= 90.0));
        assert_eq!(wrapped("", 10.0, 80.0, 3), [""]);
    }
}
