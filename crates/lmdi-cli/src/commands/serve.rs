//! `lmdi serve`: a saved model behind HTTP, with its report.

use crate::flags::method::MethodFlags;
use crate::flags::running::RunFlags;
use crate::input::saved_study;
use crate::output::destination::Files;
use crate::output::printer::Printer;
use crate::parse_size;
use crate::process::console;
use anyhow::{Context, Result};
use clap::Args;
use lmdi_io::interrupt;
use lmdi_io::printable::printable;
use lmdi_server::{ServerOptions, Service, listen};
use std::io::Write;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;

/// Answer requests for predictions and explanations over HTTP.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lmdi explain houses.csv --target price --save houses.lmdi --report houses.html
  lmdi serve houses.lmdi
  lmdi serve houses.lmdi --report houses.html
  lmdi serve houses.lmdi --address 0.0.0.0:8000 --threads 4
  curl -H 'Content-Type: application/json' -d '{\"rows\": [{\"area\": 120, \"rooms\": 4}]}' \
localhost:8000/explain

The model is read once. GET / shows the report, whose what-if then works for models of any size; without \
--report it shows example requests. GET /model lists the columns; POST /predict and POST /explain take rows as \
JSON. Answers are those of `lmdi predict` and `lmdi score`.

The server has neither passwords nor encryption. By default it listens on this machine only; before \
--address makes it reachable for others, put a proxy that has both in front of it. Ctrl-C or a termination \
signal ends it once running requests are answered.")]
pub struct Options {
    /// Model file; LMDI+ needs one with an explainer, as written by `lmdi explain --save`
    model: PathBuf,
    /// Where to listen; port 0 takes any free port
    #[arg(
        long,
        value_name = "HOST:PORT", value_parser = parse_address,
        default_value = "127.0.0.1:8000",
        help_heading = "Serving"
    )]
    address: SocketAddr,
    /// A report of this model, as written by `lmdi explain --report`, to show at /
    #[arg(long, value_name = "FILE", help_heading = "Serving")]
    report: Option<PathBuf>,
    /// Largest request, such as 500k or 16M
    #[arg(long, value_name = "SIZE", default_value = "16M", value_parser = parse_size, help_heading = "Serving")]
    max_request: usize,
    #[command(flatten)]
    method: MethodFlags,
    #[command(flatten)]
    running: RunFlags,
}

/// Where a host of this machine listens, such as `localhost:8000`.
fn parse_address(text: &str) -> Result<SocketAddr> {
    let found = text.to_socket_addrs().ok().and_then(|mut found| found.next());
    found.context("expected an address of this machine with a port, such as 127.0.0.1:8000")
}

/// Runs the command.
pub fn run(options: &Options) -> Result<()> {
    let files = Files::default()
        .reading("MODEL", Some(&options.model))
        .reading("--report", options.report.as_deref())
        .reading("--background", options.method.others.background.as_deref());
    let reader = options.running.start(&files)?;
    options.method.check(None, None)?;
    let report = match &options.report {
        Some(path) => Some(
            std::fs::read_to_string(path)
                .with_context(|| format!("cannot read {}", printable(&path.to_string_lossy())))?,
        ),
        None => None,
    };
    // The port is taken before a large model is read for nothing.
    let listening = listen(options.address).with_context(|| {
        format!("cannot listen on {}; choose another with --address", options.address)
    })?;
    let service = Service::new(saved_study::load(&options.model, &options.method, &reader)?)?;
    let settings = ServerOptions::default()
        .with_workers(rayon::current_num_threads())
        .with_max_body(options.max_request)
        .with_report(report);
    let server = listening.server(service, &settings).with_context(|| {
        printable(&options.report.as_deref().unwrap_or(&options.model).to_string_lossy())
            .into_owned()
    })?;
    let mut out = Printer::beside(None);
    let url = format!("http://{}", server.address());
    out.fact("address", url.as_str());
    writeln!(out, "Serving {} at {url}", printable(&options.model.to_string_lossy()))?;
    out.finish()?;
    server.run(interrupt::requested)?;
    console::note("stopped");
    Ok(())
}
