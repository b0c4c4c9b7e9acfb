//! The paper's twelve data sets (its table of data sets), in the paper's order.

/// What is predicted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A number.
    Regression,
    /// One of two classes.
    Classification,
}

/// One data set.
#[derive(Debug, PartialEq)]
pub struct DataSet {
    /// Its name in result files.
    pub key: &'static str,
    /// Its name in the paper.
    pub title: &'static str,
    pub kind: Kind,
    /// OpenML's task.
    pub task: u32,
    /// Its file in a data directory, without `.csv.gz`; see the note in `docs/results.md` for how
    /// these files differ from OpenML's.
    pub file: &'static str,
    /// Columns that correlate with an earlier one by more than this are left out.
    pub largest_correlation: Option<f64>,
}

const fn set(
    key: &'static str,
    title: &'static str,
    kind: Kind,
    task: u32,
    file: &'static str,
) -> DataSet {
    DataSet { key, title, kind, task, file, largest_correlation: None }
}

/// All of them.
pub const CATALOGUE: [DataSet; 12] = [
    set("miami_housing", "Miami Housing", Kind::Regression, 361260, "miami_housing"),
    set("sarcos", "SARCOS", Kind::Regression, 361254, "sarcos_testsplit"),
    set("puma_robot", "Puma Robot", Kind::Regression, 361259, "puma32H"),
    set("wave_energy", "Wave Energy", Kind::Regression, 361253, "ailerons"),
    set("music_origin", "Geographic Origin of Music", Kind::Regression, 361243, "music_origin"),
    set("superconductivity", "Super Conductivity", Kind::Regression, 361242, "superconductivity"),
    set("house_16h", "House 16H", Kind::Classification, 361063, "house_16H"),
    set("higgs", "Higgs", Kind::Classification, 361069, "higgs"),
    set("pol", "Pol", Kind::Classification, 361062, "pol"),
    DataSet {
        largest_correlation: Some(0.95),
        ..set("ozone", "Ozone", Kind::Classification, 9978, "ozone")
    },
    set("jannis", "Jannis", Kind::Classification, 361071, "jannis"),
    set("spam", "Spam", Kind::Classification, 43, "spam"),
];

/// The data set of that name.
pub fn find(key: &str) -> Option<&'static DataSet> {
    CATALOGUE.iter().find(|set| set.key == key)
}

/// All names, for messages.
pub fn keys() -> String {
    CATALOGUE.map(|set| set.key).join(", ")
}
