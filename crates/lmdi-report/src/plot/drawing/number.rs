//! Numbers for people: a few digits, thousands separators, a true minus sign.

/// A number in four digits.
pub(in crate::plot) fn short(x: f64) -> String {
    in_digits(x, 4)
}

/// The same with a sign.
pub(in crate::plot) fn signed(x: f64) -> String {
    if x >= 0.0 { format!("+{}", short(x)) } else { short(x) }
}

/// A probability in percent, with the digits that keep it away from 0 and 100.
pub(in crate::plot) fn percent(share: f64) -> String {
    let away = share.min(1.0 - share);
    let digits = match away {
        away if away >= 0.0995 || away <= 0.0 => 0,
        away if away >= 0.005 => 1,
        away if away >= 0.00005 => 2,
        _ if share < 0.5 => return "< 0.01 %".into(),
        _ => return "> 99.99 %".into(),
    };
    let text = format!("{:.digits$}", 100.0 * share);
    let text = if digits > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} %")
}

/// The numbers of an axis, with as many digits as tell neighbours apart.
pub(in crate::plot) fn texts_of(ticks: &[f64]) -> Vec<String> {
    let step = ticks.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_exact = |digits: usize| {
        ticks.iter().all(|tick| (rounded(*tick, digits) - tick).abs() <= 0.02 * step)
    };
    let digits = (4..=15).find(|&digits| is_exact(digits)).unwrap_or(15);
    ticks.iter().map(|&tick| in_digits(tick, digits)).collect()
}

fn rounded(x: f64, digits: usize) -> f64 {
    format!("{x:.*e}", digits - 1).parse().unwrap_or(x)
}

fn in_digits(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return "missing".into();
    }
    let text = unsigned(x.abs(), digits);
    let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
    if x < 0.0 && !is_zero { format!("\u{2212}{text}") } else { text }
}

fn unsigned(size: f64, digits: usize) -> String {
    let rounded = rounded(size, digits);
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        let text = format!("{rounded:e}");
        let (head, power) = text.split_once('e').unwrap_or((&text, "0"));
        let head: f64 = head.parse().unwrap_or(rounded);
        // Digits beyond the third are for axes only.
        let head = if digits > 4 { head } else { format!("{head:.2}").parse().unwrap_or(head) };
        return format!("{head}e{}", power.replace('-', "\u{2212}"));
    }
    let text = lmdi::table::number_text(if rounded == 0.0 { 0.0 } else { rounded });
    // Years and the like stay whole.
    if size < 10_000.0 {
        return text;
    }
    let (whole, rest) = text.split_once('.').map_or((&*text, None), |(a, b)| (a, Some(b)));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    rest.map_or(grouped.clone(), |rest| format!("{grouped}.{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let texts = [0.0, -0.0, 1234567.0, -1234.5, 0.12345, 12.0, 1e-9, f64::NAN].map(short);
        assert_eq!(
            texts,
            ["0", "0", "1,235,000", "\u{2212}1234", "0.1235", "12", "1e\u{2212}9", "missing"]
        );
        assert_eq!((signed(2.0), signed(-2.0)), ("+2".into(), "\u{2212}2".into()));
        assert_eq!([1.2345e12, 2.5e-7].map(short), ["1.23e12", "2.5e\u{2212}7"]);
    }

    #[test]
    fn ticks_keep_the_digits_that_tell_them_apart() {
        assert_eq!(texts_of(&[10000.1, 10000.2]), ["10,000.1", "10,000.2"]);
        assert_eq!(texts_of(&[0.0, 0.1, 0.2, 0.30000000000000004]), ["0", "0.1", "0.2", "0.3"]);
        assert_eq!(texts_of(&[1.0001e12, 1.0002e12]), ["1.0001e12", "1.0002e12"]);
        assert_eq!(texts_of(&[5.0]), ["5"]);
    }

    #[test]
    fn percentages_stay_away_from_nothing_and_all() {
        let texts = [0.5, 0.914, 0.999, 0.03, 0.9996, 1e-9, 1.0 - 1e-9, 0.0, 1.0].map(percent);
        let wanted =
            ["50 %", "91.4 %", "99.9 %", "3 %", "99.96 %", "< 0.01 %", "> 99.99 %", "0 %", "100 %"];
        assert_eq!(texts, wanted);
    }
}
