//! The socket, the threads, and the end of the server.

use crate::routes::router;
use crate::service::Service;
use axum::Router;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;
use tokio::runtime::Runtime;

/// How often the server asks whether it should stop.
const LOOKS: Duration = Duration::from_millis(50);

/// The limits of a server, and the page it shows.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ServerOptions {
    /// Number of requests that are computed at a time.
    pub workers: usize,
    /// Number of further requests that wait for their turn.
    pub waiting: usize,
    /// Maximum number of bytes of a request.
    pub max_body: usize,
    /// The text of a report of the model, to show at `/`.
    pub report: Option<String>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { workers: 1, waiting: 64, max_body: 16 << 20, report: None }
    }
}

impl ServerOptions {
    lmdi::setters! {
        with_workers(workers: usize),
        with_waiting(waiting: usize),
        with_max_body(max_body: usize);
        optional:
        with_report(report: String),
    }
}

/// A socket that listens; connections wait until the server runs.
pub struct Listening {
    socket: TcpListener,
    address: SocketAddr,
}

/// Opens the socket. Port 0 takes any free port.
pub fn listen(address: SocketAddr) -> io::Result<Listening> {
    let socket = TcpListener::bind(address)?;
    let address = socket.local_addr()?;
    Ok(Listening { socket, address })
}

impl Listening {
    /// Where the socket listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The server of a service. Fails if the report in the options is not a report.
    pub fn server(self, service: Service, options: &ServerOptions) -> io::Result<Server> {
        let routes = router(service, options, self.address.ip().is_loopback())?;
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .max_blocking_threads(options.workers.max(1) + 1)
            .enable_all()
            .build()?;
        Ok(Server { listening: self, routes, threads })
    }
}

/// A server that is ready to run.
pub struct Server {
    listening: Listening,
    routes: Router,
    threads: Runtime,
}

impl Server {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listening.address
    }

    /// Serves until `stops` returns true; requests that are being computed are answered first.
    pub fn run(self, stops: impl Fn() -> bool + Send + 'static) -> io::Result<()> {
        let Self { listening, routes, threads } = self;
        threads.block_on(async {
            listening.socket.set_nonblocking(true)?;
            let socket = tokio::net::TcpListener::from_std(listening.socket)?;
            let stopped = async move {
                while !stops() {
                    tokio::time::sleep(LOOKS).await;
                }
            };
            axum::serve(socket, routes).with_graceful_shutdown(stopped).await
        })
    }
}
