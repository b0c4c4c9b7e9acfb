//! Text from data made safe to print: names and cells may hold anything, even terminal commands.

use std::borrow::Cow;

/// Escapes control characters and the marks that reorder or hide text; the rest stays as it is.
///
/// ```
/// assert_eq!(lmdi_io::printable::printable("caf\u{e9} \u{1b}[31m\n"), "café \\u{1b}[31m\\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_hostile) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_hostile(c) {
            safe.extend(c.escape_debug());
        } else {
            safe.push(c);
        }
    }
    Cow::Owned(safe)
}

fn is_hostile(c: char) -> bool {
    // Controls; zero-width and direction marks; line and paragraph separators; byte-order mark.
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal_unseen() {
        for hostile in ["\u{1b}]0;x\u{7}", "\u{202e}abc", "a\r\nb", "\u{9b}31m"] {
            assert!(printable(hostile).chars().all(|c| !is_hostile(c)), "{hostile:?}");
        }
        assert_eq!(printable("naïve \"x\", 数"), "naïve \"x\", 数");
    }
}
