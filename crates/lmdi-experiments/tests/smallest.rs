//! Every experiment from the outside, as small as it can be, on made-up data sets: what it writes, that an interrupted run
//! continues, and that threads change nothing.
#![allow(clippy::unwrap_used)]

use assert_cmd::Command;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A directory with a data set for numbers and one for classes.
struct Place {
    directory: TempDir,
}

impl Place {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let data = directory.path().join("data");
        fs::create_dir(&data).unwrap();
        // The reader tells plain from compressed text by its first bytes, not by the name.
        fs::write(data.join("miami_housing.csv.gz"), table(false)).unwrap();
        fs::write(data.join("house_16H.csv.gz"), table(true)).unwrap();
        Self { directory }
    }

    fn run(&self, experiment: &str, out: &str, more: &[&str]) -> std::process::Output {
        Command::cargo_bin("lmdi-experiments")
            .unwrap()
            .current_dir(self.directory.path())
            .args([experiment, "--smallest", "--data", "data", "--out", out])
            .args(["--sets", "miami_housing,house_16h"])
            .args(more)
            .output()
            .unwrap()
    }

    fn ok(&self, experiment: &str, out: &str, more: &[&str]) {
        let output = self.run(experiment, out, more);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{experiment}: {error}");
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }
}

/// 120 rows of eleven columns, the last of two values, with a response of the first two.
fn table(classes: bool) -> String {
    let names: Vec<String> = (0..11).map(|col| format!("c{col}")).collect();
    let mut text = format!("{},target\n", names.join(","));
    for row in 0..120_u32 {
        let cell = |col: u32| f64::from((row * (7 + 4 * col) + 13 * col * row * row) % 101) / 10.0;
        let cells: Vec<String> =
            (0..10).map(|col| cell(col).to_string()).chain([(row % 2).to_string()]).collect();
        let y = cell(0) - cell(1);
        let target = if classes { f64::from(u8::from(y > 0.0)) } else { y };
        text.push_str(&format!("{},{target}\n", cells.join(",")));
    }
    text
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn every_experiment_writes_results_and_a_page() {
    let place = Place::new();
    place.ok("all", "out", &[]);
    for (experiment, pictures, words) in [
        ("ranking", &["ranking-n60"][..], "LMDI+ (by rank)"),
        ("correlation", &["correlation"], "independent"),
        ("selection", &["selection"], "Table 1"),
        ("selection-full", &[], "0.6491"),
        ("stability", &["stability"], "average rank"),
        ("ablation", &[], "Table 2"),
        ("counterfactual", &[], "12.7"),
        ("counterfactual-sim", &["counterfactual-sim"], "Observed data"),
        ("subgroups", &["subgroups"], "stable k"),
        ("runtime", &[], "0.0745"),
        ("rules", &[], "out-of-bag rows"),
    ] {
        let directory = place.path("out").join(experiment);
        let results = read(&directory.join("results.csv"));
        let mut lines = results.lines();
        let heading = lines.next().unwrap();
        assert!(
            heading.ends_with("repetition,method,measure,value,rows"),
            "{experiment}: {heading}"
        );
        let values: Vec<f64> = lines
            .map(|line| line.rsplit(',').nth(1).unwrap().parse().unwrap_or(f64::NAN))
            .collect();
        // Runtime has no data set here but for its four, none of which is there.
        assert_eq!(values.is_empty(), experiment == "runtime", "{experiment}");
        assert!(values.iter().all(|value| value.is_finite()), "{experiment}: {results}");
        let page = read(&directory.join("page.md"));
        assert!(page.contains(words), "{experiment}: {page}");
        assert!(page.contains("How this was run"), "{experiment}");
        for picture in pictures {
            assert!(read(&directory.join(format!("{picture}.svg"))).contains("<polyline"));
            let png = fs::read(directory.join(format!("{picture}.png"))).unwrap();
            assert!(png.starts_with(b"\x89PNG"));
        }
    }
    let settings = read(&place.path("out/selection/settings.txt"));
    assert!(
        settings.contains("sha256") && settings.contains("120 rows, 11 features"),
        "{settings}"
    );
}

/// The steps of the authors' code give other numbers, in directories of their own.
#[test]
fn the_reference_protocol_runs_beside_the_papers() {
    let place = Place::new();
    let methods = ["--methods", "lmdi_plus_by_rank,lmdi_plus_by_score,tree_shap,tree_shap_by_rank"];
    for experiment in ["ranking", "correlation", "selection", "stability", "counterfactual"] {
        place.ok(experiment, "out", &methods);
        let reference: Vec<&str> = methods.into_iter().chain(["--protocol", "reference"]).collect();
        place.ok(experiment, "out", &reference);
        let results = |name: String| read(&place.path("out").join(name).join("results.csv"));
        let (paper, reference) =
            (results(experiment.into()), results(format!("{experiment}-reference")));
        assert_eq!(paper.lines().count(), reference.lines().count(), "{experiment}");
        assert_ne!(paper, reference, "{experiment}");
        let settings =
            read(&place.path("out").join(format!("{experiment}-reference/settings.txt")));
        assert!(settings.contains("protocol: reference"), "{settings}");
    }
    let seconds = read(&place.path("out/ranking/seconds.csv"));
    assert!(seconds.starts_with("set,function,n,noise,repetition,seconds\n"), "{seconds}");
    assert!(seconds.lines().count() > 1);
}

#[test]
fn a_run_continues_where_it_stopped_and_threads_change_nothing() {
    let place = Place::new();
    place.ok("ranking", "whole", &["--threads", "1", "--repetitions", "2"]);
    let whole = read(&place.path("whole/ranking/results.csv"));
    // As if cut off in the middle of a unit, with one value that only a run that keeps it can know.
    let lines: Vec<&str> = whole.lines().collect();
    let marked = lines[1].rsplitn(3, ',').last().unwrap().to_owned();
    let rows = lines[1].rsplit(',').next().unwrap();
    let mut cut: Vec<String> =
        lines[..lines.len() / 2].iter().map(|line| (*line).to_owned()).collect();
    cut[1] = format!("{marked},0.123,{rows}");
    fs::create_dir_all(place.path("cut/ranking")).unwrap();
    fs::write(place.path("cut/ranking/results.csv"), format!("{}\nmiami_hou", cut.join("\n")))
        .unwrap();
    fs::copy(place.path("whole/ranking/settings.txt"), place.path("cut/ranking/settings.txt"))
        .unwrap();
    place.ok("ranking", "cut", &["--threads", "2", "--repetitions", "2"]);
    let continued = read(&place.path("cut/ranking/results.csv"));
    let expected = whole.replacen(lines[1], &cut[1], 1);
    assert_eq!(continued, expected);
}

/// A unit is run for the methods that it lacks, and the file is the one of all methods at once.
#[test]
fn methods_can_be_added_later() {
    let place = Place::new();
    for (experiment, first, all) in [
        ("selection", "tree_shap", "lmdi_plus_by_rank,saabas,tree_shap"),
        ("ablation", "local_mdi", "lmdi_plus_by_rank,local_mdi,variant_1_by_rank"),
        ("counterfactual", "saabas", "lmdi_model_by_score,saabas"),
    ] {
        place.ok(experiment, "whole", &["--methods", all]);
        place.ok(experiment, "parts", &["--methods", first]);
        place.ok(experiment, "parts", &["--methods", all]);
        let results = |out: &str| read(&place.path(out).join(experiment).join("results.csv"));
        assert_eq!(results("whole"), results("parts"), "{experiment}");
        place.ok(experiment, "parts", &["--methods", first]);
        assert_eq!(results("whole"), results("parts"), "{experiment}, run once more");
        let settings = read(&place.path("parts").join(experiment).join("settings.txt"));
        assert!(all.split(',').all(|method| settings.contains(method)), "{settings}");
    }
}

#[test]
fn other_settings_and_bad_names_are_refused() {
    let place = Place::new();
    place.ok("stability", "out", &["--methods", "saabas,tree_shap"]);
    let output = place.run("stability", "out", &["--methods", "saabas,tree_shap", "--seed", "5"]);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && error.contains("seed 0, not 5"), "{error}");
    for (flag, name) in [("--methods", "shapley"), ("--sets", "boston")] {
        let output = Command::cargo_bin("lmdi-experiments")
            .unwrap()
            .current_dir(place.directory.path())
            .args(["stability", "--smallest", "--data", "data", flag, name])
            .output()
            .unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && error.contains(name), "{error}");
    }
    let output =
        Command::cargo_bin("lmdi-experiments").unwrap().args(["ranking"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("--openml"), "{error}");
}
