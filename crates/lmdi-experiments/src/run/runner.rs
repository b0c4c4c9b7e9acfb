//! From units to a result file and a page.
//!
//! Every worker takes the next unit that is not done and runs it on a thread pool of its own, of
//! one thread: repetitions run in parallel, and the library's own parallel loops do not mix their
//! work. What a unit measures of a method depends on the seed, the unit and the method alone, so
//! methods can be added to results that are there.

use super::context::Context;
use super::experiment::Experiment;
use super::machine;
use super::options::Options;
use super::progress::Progress;
use super::records::{Record, Records, ResultFile};
use super::seconds::Seconds;
use super::settings::Settings;
use crate::methods::Method;
use anyhow::{Context as _, Result, anyhow};
use lmdi_io::interrupt;
use lmdi_report::plot::png;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Pixels of a PNG per inch.
const DPI: f64 = 144.0;

/// Runs what is left to do of an experiment, and writes its page.
pub fn run<E: Experiment>(experiment: &E, options: &Options) -> Result<()> {
    let directory = options.out.join(options.protocol.directory(E::NAME));
    std::fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    let context = Context::new(options);
    let methods = experiment.methods(options)?;
    let settings = Settings::new(options, &methods, &experiment.sets(options)?, &context)?;
    settings.keep(&directory.join("settings.txt"))?;
    let units = experiment.units(options)?;
    let names: Vec<Vec<String>> = units.iter().map(|unit| experiment.fields(unit)).collect();
    let (mut file, records) = ResultFile::open(&directory.join("results.csv"), E::FIELDS)?;
    let mut known = by_unit(records.all);
    let left: Vec<(usize, Vec<Method>)> = (0..units.len())
        .filter_map(|at| {
            let of_unit = known.get(&names[at]);
            let is_known = |method: &Method| {
                of_unit.is_some_and(|all| all.iter().any(|record| record.method == method.name()))
            };
            let wanted = methods.iter().filter(|method| experiment.applies(**method, &units[at]));
            let missing: Vec<Method> = wanted.filter(|method| !is_known(method)).copied().collect();
            let is_done = missing.is_empty() && (of_unit.is_some() || !methods.is_empty());
            (!is_done).then_some((at, missing))
        })
        .collect();
    let threads = if E::SIDE_BY_SIDE { options.threads() } else { 1 };
    let progress = Progress::new(E::NAME, units.len(), units.len() - left.len());
    let seconds = Seconds::open(&directory.join("seconds.csv"), E::FIELDS)?;
    let made = Mutex::new((&mut file, Vec::new(), seconds));
    let outcome = work(threads, left.len(), |at| {
        let (unit, ref missing) = left[at];
        let start = Instant::now();
        let measured = experiment.run(&units[unit], missing, &context);
        let mut measured = measured.with_context(|| names[unit].join(", "))?;
        // What belongs to no method that can be chosen, such as distances between cells, is
        // measured every time.
        if let Some(before) = known.get(&names[unit]) {
            measured.retain(|new| before.iter().all(|record| record.method != new.method));
        }
        let mut made = made.lock().map_err(|_| anyhow!("another unit failed"))?;
        let (file, records, seconds) = &mut *made;
        records.extend(file.add(&names[unit], &measured)?);
        seconds.add(&names[unit], start.elapsed())?;
        progress.advance();
        Ok(())
    });
    drop(progress);
    let (_, new, _) = made.into_inner().map_err(|_| anyhow!("a unit failed"))?;
    for (unit, records) in by_unit(new) {
        known.entry(unit).or_default().extend(records);
    }
    known.values_mut().for_each(|records| records.sort_by_key(|record| place(&record.method)));
    outcome?;
    // Units of this run in their order, then what earlier, larger runs left.
    let mut all: Vec<Record> = Vec::new();
    for name in &names {
        all.extend(known.remove(name).unwrap_or_default());
    }
    all.extend(known.into_values().flatten());
    let records = Records { fields: E::FIELDS.to_vec(), all };
    file.finish(&records)?;
    write_page(experiment, &records, &settings, &directory)
}

/// The place of a method in the result file; what belongs to no known method comes last.
fn place(method: &str) -> usize {
    Method::all().position(|known| known.name() == method).unwrap_or(usize::MAX)
}

fn by_unit(records: Vec<Record>) -> BTreeMap<Vec<String>, Vec<Record>> {
    let mut units: BTreeMap<Vec<String>, Vec<Record>> = BTreeMap::new();
    for record in records {
        units.entry(record.unit.clone()).or_default().push(record);
    }
    units
}

/// Runs `count` jobs on some threads; ends at the first failure or when the user asks.
fn work(threads: usize, count: usize, job: impl Fn(usize) -> Result<()> + Sync) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<anyhow::Error>> = Mutex::new(None);
    let failed = || failure.lock().map_or(true, |failure| failure.is_some());
    let worker = || -> Result<()> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        loop {
            let at = next.fetch_add(1, Ordering::SeqCst);
            if at >= count || failed() {
                return Ok(());
            }
            if interrupt::requested() {
                return Err(lmdi::Error::Interrupted.into());
            }
            pool.install(|| job(at))?;
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(count) {
            scope.spawn(|| {
                if let Err(error) = worker()
                    && let Ok(mut failure) = failure.lock()
                {
                    failure.get_or_insert(error);
                }
            });
        }
    });
    match failure.into_inner() {
        Ok(None) => Ok(()),
        Ok(Some(error)) => Err(error),
        Err(_) => Err(anyhow!("a unit failed")),
    }
}

fn write_page<E: Experiment>(
    experiment: &E,
    records: &Records,
    settings: &Settings,
    directory: &Path,
) -> Result<()> {
    let page = experiment.page(records)?;
    let mut text = format!("# {}\n\n{}", E::TITLE, page.text.trim_end());
    for (name, picture) in &page.pictures {
        lmdi_io::atomic::write(&directory.join(format!("{name}.svg")), picture.svg.as_bytes())?;
        lmdi_io::atomic::write(&directory.join(format!("{name}.png")), &png(picture, DPI)?.bytes)?;
        text.push_str(&format!("\n\n![{name}]({name}.svg)"));
    }
    let (fewest, most) = records.repetitions();
    let command: Vec<String> = std::env::args().skip(1).collect();
    text.push_str(&format!(
        "\n\n## How this was run\n\n- command: `lmdi-experiments {}`\n- repetitions of a setting: {}\n- machine: {}\n",
        command.join(" "),
        if fewest == most { most.to_string() } else { format!("{fewest} to {most}") },
        machine::description()
    ));
    for (name, value) in &settings.lines {
        text.push_str(&format!("- {name}: {value}\n"));
    }
    lmdi_io::atomic::write(&directory.join("page.md"), text.as_bytes())?;
    println!("{}", directory.join("page.md").display());
    Ok(())
}
