//! Dates and times: the unit of their numbers, and how they are written.

/// The unit of a column of dates, counted from the start of 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeUnit {
    /// Days: the column holds dates.
    Days,
    /// Seconds: the column holds dates with a time of the day.
    Seconds,
}

/// Numbers further away from 1970, in days, are no dates of the years 1 to 9999.
const FURTHEST: f64 = 4_000_000.0;

impl TimeUnit {
    /// Seconds per unit.
    pub fn seconds(self) -> f64 {
        match self {
            Self::Days => 86_400.0,
            Self::Seconds => 1.0,
        }
    }

    /// A date or time as people write it, without a time that is midnight; `None` if it is not a
    /// valid date. A column of dates has no times: a value between two days, such as a median or
    /// a threshold, is written as the earlier day.
    ///
    /// ```
    /// use lmdi::table::TimeUnit;
    /// assert_eq!(TimeUnit::Days.text(19_753.0).as_deref(), Some("2024-01-31"));
    /// assert_eq!(TimeUnit::Seconds.text(19_753.5 * 86_400.0).as_deref(), Some("2024-01-31 12:00:00"));
    /// assert_eq!(TimeUnit::Days.text(19_753.5).as_deref(), Some("2024-01-31"));
    /// assert_eq!(TimeUnit::Days.text(f64::NAN), None);
    /// ```
    pub fn text(self, x: f64) -> Option<String> {
        let seconds = match self {
            Self::Days => x.floor() * self.seconds(),
            Self::Seconds => x.round(),
        };
        let days = (seconds / 86_400.0).floor();
        if !(days.is_finite() && days.abs() < FURTHEST) {
            return None;
        }
        let (year, month, day) = date_of(days as i64);
        if !(1..=9999).contains(&year) {
            return None;
        }
        let date = format!("{year:04}-{month:02}-{day:02}");
        let of_day = (seconds - days * 86_400.0) as u32;
        let (hours, minutes, rest) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
        Some(match of_day {
            0 => date,
            _ => format!("{date} {hours:02}:{minutes:02}:{rest:02}"),
        })
    }
}

/// Year, month and day of a number of days since 1970-01-01, in the Gregorian calendar.
pub fn date_of(days: i64) -> (i64, i64, i64) {
    // Years that start in March have their leap day at their end; 400 of them always have as many.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    (400 * era + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::days_of;

    #[test]
    fn days_lead_to_dates_and_back() {
        // From 0001-01-01 to 9999-12-31.
        for days in (-719_162..=2_932_896).step_by(13).chain([2_932_896]) {
            let (year, month, day) = date_of(days);
            assert_eq!(days_of(year, month, day), Some(days), "{year}-{month}-{day}");
        }
        assert_eq!(date_of(-719_162), (1, 1, 1));
        assert_eq!(date_of(11_016), (2000, 2, 29));
    }

    #[test]
    fn what_is_no_date_has_no_text() {
        for x in [f64::NAN, f64::INFINITY, 1e300, -1e9, 2_932_897.0] {
            assert_eq!(TimeUnit::Days.text(x), None, "{x}");
        }
        assert_eq!(TimeUnit::Seconds.text(-1.0).as_deref(), Some("1969-12-31 23:59:59"));
    }
}
