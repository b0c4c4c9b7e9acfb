//! OpenML's descriptions of tasks and data sets, as its JSON interface gives them.

use anyhow::{Context, Result, anyhow};
use serde_json::Value;
use std::path::Path;

/// What a task says.
#[derive(Debug, PartialEq, Eq)]
pub struct TaskDescription {
    /// Number of the data set.
    pub data: u64,
    pub target: String,
}

/// What the description of a data set says.
#[derive(Debug, PartialEq, Eq)]
pub struct DataDescription {
    /// Address of the ARFF file.
    pub arff: String,
    /// Address of the Parquet file, if there is one.
    pub parquet: Option<String>,
    /// Columns that are identifiers or to be ignored.
    pub ignored: Vec<String>,
}

/// Reads a description from a file.
pub fn read<T>(path: &Path, parse: impl Fn(&Value) -> Option<T>) -> Result<T> {
    let name = || path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(name)?;
    let value = serde_json::from_str(&text).with_context(name)?;
    parse(&value).ok_or_else(|| {
        anyhow!("{} is not a description of OpenML as this version knows it; remove it to fetch it again", name())
    })
}

impl TaskDescription {
    pub fn parse(value: &Value) -> Option<Self> {
        let inputs = value["task"]["input"].as_array()?;
        let source = inputs.iter().find(|input| input["name"] == "source_data")?;
        let source = &source["data_set"];
        Some(Self {
            data: number(&source["data_set_id"])?,
            target: source["target_feature"].as_str()?.to_owned(),
        })
    }
}

impl DataDescription {
    pub fn parse(value: &Value) -> Option<Self> {
        let description = &value["data_set_description"];
        let parquet = description["parquet_url"].as_str().filter(|url| !url.is_empty());
        let mut ignored = names(&description["ignore_attribute"]);
        ignored.extend(names(&description["row_id_attribute"]));
        Some(Self {
            arff: description["url"].as_str()?.to_owned(),
            parquet: parquet.map(str::to_owned),
            ignored,
        })
    }
}

/// Numbers come as text.
fn number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// One name, several separated by commas, or a list.
fn names(value: &Value) -> Vec<String> {
    match value {
        Value::String(names) => names.split(',').map(|name| name.trim().to_owned()).collect(),
        Value::Array(list) => list.iter().flat_map(names).collect(),
        _ => Vec::new(),
    }
}
