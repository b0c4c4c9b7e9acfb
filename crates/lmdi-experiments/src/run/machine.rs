//! The machine, in words.

/// Processor, number of processors, system.
pub fn description() -> String {
    let information = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = information
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(':'))
        .map_or("unknown processor", |(_, model)| model.trim());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {processors} processors, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}
