//! The flags that all experiments share.

use super::effort::Effort;
use super::protocol::Protocol;
use crate::data::catalogue::{CATALOGUE, DataSet, find, keys};
use crate::data::openml::{Cache, SERVER};
use crate::data::source::Source;
use crate::methods::Method;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use std::path::PathBuf;

/// What every experiment can be told.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// Directory of data sets: one gzipped CSV file each, with a column `target`
    #[arg(long, value_name = "DIR", conflicts_with = "openml")]
    pub data: Option<PathBuf>,
    /// Take data sets from OpenML and keep them in this directory
    #[arg(long, value_name = "DIR")]
    pub openml: Option<PathBuf>,
    /// Where OpenML is
    #[arg(long, value_name = "URL", default_value = SERVER)]
    pub server: String,
    /// Directory for results; an interrupted run is continued from what is there
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// A small run: all experiments in less than half an hour on two cores (the default)
    #[arg(long, conflicts_with_all = ["paper", "smallest"])]
    pub quick: bool,
    /// The paper's repetitions and settings: days
    #[arg(long, conflicts_with = "smallest")]
    pub paper: bool,
    /// Everything once, as small as it can be
    #[arg(long, hide = true)]
    pub smallest: bool,
    /// Follow the paper's text, or its authors' public code where the two differ (results go to
    /// directories of their own)
    #[arg(long, value_enum, default_value_t = Protocol::Paper)]
    pub protocol: Protocol,
    /// Repetitions of every setting, instead of what the size of the run says
    #[arg(long, value_name = "N")]
    pub repetitions: Option<usize>,
    /// Rows of every setting (at most), instead of what the size of the run says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(30..))]
    pub rows: Option<u32>,
    /// Only these data sets, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Only these methods, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub methods: Vec<String>,
    /// Neighbours that LIME draws a row, instead of what the size of the run says (5000 with
    /// --paper)
    #[arg(long, value_name = "N")]
    pub lime_samples: Option<usize>,
    /// Same seed, same results
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Units of work at a time; as many as there are processors unless given
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
}

impl Options {
    /// Numbers of rows: the requested one, or the default ones.
    pub fn sizes(&self, default: &[usize]) -> Vec<usize> {
        self.rows.map_or(default.to_vec(), |rows| vec![rows as usize])
    }

    pub fn effort(&self) -> Effort {
        match (self.paper, self.smallest) {
            (true, _) => Effort::Paper,
            (_, true) => Effort::Smallest,
            _ => Effort::Quick,
        }
    }

    /// Where data sets come from; `None` when nothing is said.
    pub fn source(&self) -> Option<Source> {
        match (&self.data, &self.openml) {
            (Some(directory), _) => Some(Source::Directory(directory.clone())),
            (_, Some(directory)) => Some(Source::OpenMl(Cache {
                directory: directory.clone(),
                server: self.server.trim_end_matches('/').to_owned(),
            })),
            _ => None,
        }
    }

    /// The data sets asked for, in the order of the catalogue.
    pub fn sets(&self) -> Result<Vec<&'static DataSet>> {
        for name in &self.sets {
            find(name)
                .ok_or_else(|| anyhow!("--sets: found {name:?}; expected some of {}", keys()))?;
        }
        let asked =
            |set: &&DataSet| self.sets.is_empty() || self.sets.iter().any(|name| name == set.key);
        Ok(CATALOGUE.iter().filter(asked).collect())
    }

    /// Those of some methods that are asked for, and trials, which run only when asked for.
    pub fn methods(&self, of: &[Method]) -> Result<Vec<Method>> {
        for name in &self.methods {
            if Method::find(name).is_none() {
                let all: Vec<&str> = Method::all().map(Method::name).collect();
                bail!("--methods: found {name:?}; expected some of {}", all.join(", "));
            }
        }
        let named = |method: &Method| self.methods.iter().any(|name| name == method.name());
        let asked = |method: &Method| self.methods.is_empty() || named(method);
        let trials = Method::trials().filter(named);
        Ok(of.iter().copied().filter(asked).chain(trials).collect())
    }

    /// Neighbours that LIME draws a row.
    pub fn lime_samples(&self) -> usize {
        self.lime_samples.unwrap_or(self.effort().pick(50, 1000, 5000))
    }

    /// Units of work at a time.
    pub fn threads(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(all).max(1)
    }
}
