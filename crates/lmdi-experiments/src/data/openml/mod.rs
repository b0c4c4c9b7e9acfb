//! OpenML's data sets, by way of a local cache.
//!
//! A task names its data set and the column that is predicted; the data set's description names a
//! Parquet file and an ARFF file of the same table, of which the first is preferred. Descriptions
//! and files are kept in the cache under their numbers (`task-43.json`, `data-44.json`,
//! `data-44.pq`), so that a second run needs no network. Columns that the description calls
//! identifiers or to be ignored are left out.

mod arff;
mod description;
mod download;

use anyhow::{Context, Result};
use arff::read_arff;
use description::{DataDescription, TaskDescription};
use lmdi::monitor::Silent;
use lmdi::table::{Column, Frame};
use lmdi_io::read::{Input, ReadOptions, read_table};
use std::path::{Path, PathBuf};

/// Where OpenML is.
pub const SERVER: &str = "https://www.openml.org";

/// A directory of files that were fetched before.
#[derive(Debug, Clone)]
pub struct Cache {
    pub directory: PathBuf,
    pub server: String,
}

/// A data set in the cache.
#[derive(Debug)]
pub struct Found {
    pub path: PathBuf,
    /// The column that the task predicts.
    pub target: String,
    ignored: Vec<String>,
}

impl Cache {
    /// The data set of a task; fetched unless it is in the cache.
    pub fn fetch(&self, task: u32) -> Result<Found> {
        std::fs::create_dir_all(&self.directory)
            .with_context(|| self.directory.display().to_string())?;
        let url = format!("{}/api/v1/json/task/{task}", self.server);
        let path = self.kept(&format!("task-{task}.json"), &url)?;
        let task: TaskDescription = description::read(&path, TaskDescription::parse)?;
        let url = format!("{}/api/v1/json/data/{}", self.server, task.data);
        let path = self.kept(&format!("data-{}.json", task.data), &url)?;
        let data: DataDescription = description::read(&path, DataDescription::parse)?;
        let path = match &data.parquet {
            Some(url) => self.kept(&format!("data-{}.pq", task.data), url)?,
            None => self.kept(&format!("data-{}.arff", task.data), &data.arff)?,
        };
        Ok(Found { path, target: task.target, ignored: data.ignored })
    }

    fn kept(&self, name: &str, url: &str) -> Result<PathBuf> {
        let path = self.directory.join(name);
        if !path.exists() {
            download::to_file(url, &path)?;
        }
        Ok(path)
    }
}

impl Found {
    /// The table, without the columns to be ignored.
    pub fn frame(&self) -> Result<Frame> {
        let frame = read(&self.path)?;
        let wanted: Vec<Column> = frame
            .columns()
            .iter()
            .filter(|column| !self.ignored.contains(&column.name))
            .cloned()
            .collect();
        Ok(Frame::new(wanted)?)
    }
}

fn read(path: &Path) -> Result<Frame> {
    if path.extension().is_some_and(|ending| ending == "arff") {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        return read_arff(&text).with_context(|| path.display().to_string());
    }
    Ok(read_table(&Input::Path(path.to_owned()), &ReadOptions::default(), &Silent)?.frame)
}

#[cfg(test)]
mod tests;
