//! The numbers that the paper prints.

/// The methods of the paper's tables, in their order.
pub const METHODS: [&str; 4] = ["LMDI+", "LIME", "TreeSHAP", "Local MDI"];

/// Table 1: average ranks in feature selection, for 10, 20, 30 and 40 % of the features.
pub const SELECTION_RANKS: [[f64; 4]; 4] = [
    [1.25, 1.17, 1.00, 1.08],
    [2.17, 2.17, 2.42, 2.33],
    [2.83, 2.83, 2.83, 3.08],
    [3.75, 3.83, 3.75, 3.50],
];

/// Table 2: average rank of each variant among TreeSHAP, LIME and Local MDI; selection at 10 and 20
/// %, stability at 10 and 20 %.
pub const VARIANT_RANKS: [[f64; 4]; 4] = [
    [2.50, 2.00, 3.08, 3.00],
    [1.67, 1.83, 2.75, 2.42],
    [1.67, 1.17, 1.33, 1.17],
    [1.25, 1.17, 1.17, 1.00],
];

/// An ensemble of table 3 and of the appendix, with the ranks of its methods: selection at 10 and
/// 20 %, stability at 10 and 20 %.
pub struct EnsembleRanks {
    pub ensemble: &'static str,
    /// Fewer than four where Local MDI does not apply.
    pub ranks: &'static [[f64; 4]],
}

const BOOSTING: &[[f64; 4]] =
    &[[1.08, 1.08, 1.17, 1.00], [2.33, 2.25, 2.75, 2.75], [2.58, 2.67, 2.25, 2.25]];

/// Table 3 and the appendix' table. The paper does not say how its boosting draws rows, so both
/// ways stand beside its numbers.
pub const ENSEMBLES: [EnsembleRanks; 6] = [
    EnsembleRanks {
        ensemble: "forest_10_trees",
        ranks: &[
            [1.58, 1.25, 1.17, 1.00],
            [2.42, 2.58, 2.92, 2.83],
            [2.17, 2.42, 2.42, 2.42],
            [3.83, 3.75, 3.50, 3.75],
        ],
    },
    EnsembleRanks {
        ensemble: "forest_50_trees",
        ranks: &[
            [1.33, 1.17, 1.17, 1.00],
            [2.17, 2.33, 2.92, 2.83],
            [2.75, 2.75, 2.42, 2.42],
            [3.75, 3.75, 3.50, 3.75],
        ],
    },
    EnsembleRanks {
        ensemble: "forest_leaf_5",
        ranks: &[
            [1.25, 1.08, 1.17, 1.00],
            [2.50, 2.33, 2.92, 2.83],
            [2.58, 2.92, 2.42, 2.42],
            [3.67, 3.67, 3.58, 3.25],
        ],
    },
    EnsembleRanks {
        ensemble: "forest_leaf_10",
        ranks: &[
            [1.33, 1.17, 1.17, 1.00],
            [2.42, 2.25, 2.92, 2.83],
            [2.58, 2.75, 2.42, 2.42],
            [3.67, 3.83, 3.50, 3.25],
        ],
    },
    EnsembleRanks { ensemble: "boosting", ranks: BOOSTING },
    EnsembleRanks { ensemble: "boosting_half_of_rows", ranks: BOOSTING },
];

/// The table of full data sets: percent kept, data set, and the measures of LMDI+, TreeSHAP and
/// Local MDI.
pub const SELECTION_FULL: [(usize, &str, [f64; 3]); 18] = [
    (10, "pol", [0.9922, 0.9715, 0.7520]),
    (10, "house_16h", [0.8594, 0.6153, 0.6873]),
    (10, "miami_housing", [0.6491, 0.6127, -0.6994]),
    (10, "superconductivity", [0.8268, 0.5354, 0.5368]),
    (10, "sarcos", [0.9445, 0.7274, 0.1567]),
    (10, "wave_energy", [0.7171, -0.1937, -0.9649]),
    (20, "pol", [0.9959, 0.9784, 0.9038]),
    (20, "house_16h", [0.9253, 0.8149, 0.5853]),
    (20, "miami_housing", [0.7650, 0.7625, -0.2378]),
    (20, "superconductivity", [0.8151, 0.6630, 0.4545]),
    (20, "sarcos", [0.9562, 0.8855, 0.6484]),
    (20, "wave_energy", [0.8250, 0.7360, 0.4935]),
    (30, "pol", [0.9931, 0.9845, 0.9396]),
    (30, "house_16h", [0.9310, 0.7659, 0.6042]),
    (30, "miami_housing", [0.8603, 0.8080, -0.2883]),
    (30, "superconductivity", [0.7581, 0.6700, 0.6564]),
    (30, "sarcos", [0.9643, 0.9321, 0.8610]),
    (30, "wave_energy", [0.8521, 0.7630, 0.4863]),
];

/// The table of counterfactuals: mean distances of LMDI+, LIME, TreeSHAP and Local MDI.
pub const COUNTERFACTUALS: [(&str, [f64; 4]); 6] = [
    ("house_16h", [7.6, 9.5, 9.5, 12.7]),
    ("higgs", [18.2, 19.9, 20.6, 22.8]),
    ("pol", [9.1, 11.4, 10.9, 11.2]),
    ("ozone", [34.7, 36.3, 44.3, 39.0]),
    ("jannis", [40.4, 44.7, 44.3, 48.1]),
    ("spam", [15.2, 18.7, 19.8, 21.1]),
];

/// A line of the two tables of times: data set, trees, leaf size, and seconds per row of LMDI+,
/// LIME, TreeSHAP and Local MDI.
pub type Times = (&'static str, usize, usize, [f64; 4]);

/// Both tables of times; the lines that they share are here once.
pub const RUNTIMES: [Times; 20] = [
    ("sarcos", 100, 1, [0.0745, 0.1323, 0.0627, 0.0016]),
    ("puma_robot", 100, 1, [0.1241, 0.1733, 0.0851, 0.0016]),
    ("wave_energy", 100, 1, [0.1036, 0.2049, 0.0947, 0.0015]),
    ("superconductivity", 100, 1, [0.1501, 0.2569, 0.0907, 0.0014]),
    ("sarcos", 100, 5, [0.0113, 0.1050, 0.0068, 0.0011]),
    ("puma_robot", 100, 5, [0.0175, 0.1423, 0.0089, 0.0013]),
    ("wave_energy", 100, 5, [0.0227, 0.1789, 0.0095, 0.0011]),
    ("superconductivity", 100, 5, [0.0448, 0.2351, 0.0093, 0.0011]),
    ("sarcos", 100, 10, [0.0081, 0.0993, 0.0028, 0.0010]),
    ("puma_robot", 100, 10, [0.0128, 0.1332, 0.0031, 0.0010]),
    ("wave_energy", 100, 10, [0.0165, 0.1716, 0.0038, 0.0009]),
    ("superconductivity", 100, 10, [0.0318, 0.2275, 0.0033, 0.0009]),
    ("sarcos", 500, 5, [0.0600, 0.2585, 0.0345, 0.0054]),
    ("puma_robot", 500, 5, [0.0859, 0.3133, 0.0400, 0.0058]),
    ("wave_energy", 500, 5, [0.1171, 0.3416, 0.0486, 0.0054]),
    ("superconductivity", 500, 5, [0.2256, 0.3800, 0.0447, 0.0051]),
    ("sarcos", 1000, 5, [0.1721, 0.4315, 0.0677, 0.0107]),
    ("puma_robot", 1000, 5, [0.2230, 0.5056, 0.0800, 0.0114]),
    ("wave_energy", 1000, 5, [0.3602, 0.5364, 0.1018, 0.0112]),
    ("superconductivity", 1000, 5, [0.4961, 0.5497, 0.0926, 0.0106]),
];
