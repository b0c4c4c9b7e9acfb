//! Groups of features: the 0/1 columns of one column, or groups that a user names.

use crate::{Error, Result};

/// Groups of features: every feature belongs to exactly one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Groups {
    group_of_feature: Vec<u32>,
    n_groups: usize,
}

impl Groups {
    /// Takes the group of every feature, in `0..n_groups`.
    pub fn new(group_of_feature: Vec<u32>, n_groups: usize) -> Result<Self> {
        if let Some(feature) = group_of_feature.iter().position(|&g| g as usize >= n_groups) {
            return Err(Error::Data(format!(
                "feature {feature} belongs to group {}; there are {n_groups} groups",
                group_of_feature[feature]
            )));
        }
        Ok(Self { group_of_feature, n_groups })
    }

    /// Every feature in its own group.
    pub fn singles(n_features: usize) -> Self {
        Self { group_of_feature: (0..n_features as u32).collect(), n_groups: n_features }
    }

    /// The group of every feature.
    pub fn of_features(&self) -> &[u32] {
        &self.group_of_feature
    }

    /// Number of groups.
    pub fn n_groups(&self) -> usize {
        self.n_groups
    }

    /// Fails unless there is a group for each of `n_features` features and no more.
    pub fn check(&self, n_features: usize) -> Result<()> {
        if self.group_of_feature.len() == n_features {
            return Ok(());
        }
        Err(Error::Shape {
            what: "features in groups".into(),
            found: self.group_of_feature.len(),
            expected: n_features,
        })
    }
}
