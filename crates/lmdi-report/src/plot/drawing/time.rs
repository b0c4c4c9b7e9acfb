//! Ticks of axes of time: round years, months, days, hours, minutes or seconds.

use lmdi::table::{TimeUnit, date_of, days_of};

const DAY: f64 = 86_400.0;

/// What lies between two ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Years(i64),
    Months(i64),
    Days(f64),
    /// Within a day.
    Seconds(f64),
}

/// Steps from long to short.
const STEPS: [Step; 31] = [
    Step::Years(1000),
    Step::Years(500),
    Step::Years(200),
    Step::Years(100),
    Step::Years(50),
    Step::Years(20),
    Step::Years(10),
    Step::Years(5),
    Step::Years(2),
    Step::Years(1),
    Step::Months(6),
    Step::Months(3),
    Step::Months(2),
    Step::Months(1),
    Step::Days(14.0),
    Step::Days(7.0),
    Step::Days(2.0),
    Step::Days(1.0),
    Step::Seconds(43_200.0),
    Step::Seconds(21_600.0),
    Step::Seconds(10_800.0),
    Step::Seconds(7200.0),
    Step::Seconds(3600.0),
    Step::Seconds(1800.0),
    Step::Seconds(900.0),
    Step::Seconds(300.0),
    Step::Seconds(120.0),
    Step::Seconds(60.0),
    Step::Seconds(30.0),
    Step::Seconds(10.0),
    Step::Seconds(1.0),
];

/// Round points in time within a range, with their text.
pub(super) fn ticks(
    low: f64,
    high: f64,
    unit: TimeUnit,
    fewest: usize,
    most: usize,
) -> Vec<(f64, String)> {
    let seconds = unit.seconds();
    let (from, to) = (low * seconds, high * seconds);
    let is_date = |x: f64| TimeUnit::Seconds.text(x).is_some();
    if !(is_date(from) && is_date(to)) {
        return vec![];
    }
    let smallest = match unit {
        TimeUnit::Days => DAY,
        TimeUnit::Seconds => 1.0,
    };
    let candidates: Vec<(Step, Vec<f64>)> = STEPS
        .iter()
        .filter(|step| !matches!(step, Step::Seconds(length) if *length < smallest))
        .map(|step| (*step, step.within(from, to)))
        .collect();
    let good = candidates.iter().find(|(_, found)| (fewest..=most).contains(&found.len()));
    let few = || candidates.iter().filter(|(_, found)| found.len() <= most);
    let chosen = good.or_else(|| few().max_by_key(|(_, found)| found.len()));
    let Some((step, found)) = chosen else { return vec![] };
    found.iter().map(|&at| (at / seconds, step.text(at))).collect()
}

impl Step {
    /// Its multiples within a range of seconds; of more than anybody wants only the first.
    fn within(self, from: f64, to: f64) -> Vec<f64> {
        const MOST: usize = 40;
        let (first_day, last_day) = ((from / DAY).floor() as i64, (to / DAY).ceil() as i64);
        let inside = |at: &f64| (from..=to).contains(at);
        let starts_of_months = |months: i64| {
            let (year, month, _) = date_of(first_day);
            let first = (year * 12 + month - 1).div_euclid(months) * months;
            let places = (0..).map(move |at| first + at * months);
            let days = places.map(|at| days_of(at.div_euclid(12), at.rem_euclid(12) + 1, 1));
            let until =
                days.take_while(move |day| day.is_none_or(|day| day <= last_day)).take(MOST);
            until.flatten().map(|day| day as f64 * DAY).filter(inside).collect()
        };
        match self {
            Self::Years(years) => starts_of_months(12 * years),
            Self::Months(months) => starts_of_months(months),
            Self::Days(days) => multiples(days * DAY, from, to, MOST),
            Self::Seconds(length) => multiples(length, from, to, MOST),
        }
    }

    /// A tick with what is needed to read it.
    fn text(self, at: f64) -> String {
        let text = TimeUnit::Seconds.text(at).unwrap_or_default();
        let letters = match self {
            Self::Years(_) => 4,
            Self::Months(_) => 7,
            Self::Days(_) => 10,
            Self::Seconds(length) if length >= 60.0 => 16,
            Self::Seconds(_) => 19,
        };
        text.get(..letters).unwrap_or(&text).to_owned()
    }
}

fn multiples(step: f64, from: f64, to: f64, most: usize) -> Vec<f64> {
    let first = (from / step).ceil();
    let places = (0..most).map(|at| (first + at as f64) * step);
    places.take_while(|at| *at <= to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(low: f64, high: f64, unit: TimeUnit) -> Vec<String> {
        ticks(low, high, unit, 4, 6).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn ticks_are_round_dates() {
        // 2019-12-20 to 2024-02-03.
        let found = texts(18_250.0, 19_756.0, TimeUnit::Days);
        assert_eq!(found, ["2020", "2021", "2022", "2023", "2024"]);
        // Four months from 2024-01-31 on.
        let found = texts(19_753.0, 19_753.0 + 125.0, TimeUnit::Days);
        assert_eq!(found, ["2024-02", "2024-03", "2024-04", "2024-05", "2024-06"]);
        let day = 19_753.0 * DAY;
        let found = texts(day + 600.0, day + 5.0 * 3600.0, TimeUnit::Seconds);
        assert_eq!(found.len(), 5, "the hours from one to five: {found:?}");
        assert_eq!(found[0], "2024-01-31 01:00");
        // The tick lies where its text says.
        let (at, text) = &ticks(18_250.0, 19_756.0, TimeUnit::Days, 4, 6)[2];
        assert_eq!(TimeUnit::Days.text(*at).as_deref(), Some("2022-01-01"));
        assert_eq!(text, "2022");
    }

    #[test]
    fn any_range_has_few_ticks_or_none() {
        for length in [1.0, 3.0, 10.0, 33.0, 100.0, 400.0, 2000.0, 10_000.0, 300_000.0] {
            let found = texts(17_000.3, 17_000.3 + length, TimeUnit::Days);
            assert!(found.len() <= 6, "{length}: {found:?}");
            assert!(length < 5.0 || found.len() >= 3, "{length}: {found:?}");
        }
        assert!(texts(f64::NAN, 1.0, TimeUnit::Days).is_empty());
        assert!(texts(0.0, 1e300, TimeUnit::Seconds).is_empty());
    }
}
