//! Thread pools for columns, with polling for signals in the calling thread.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// The number of bytes from which a reply is read without the GIL.
pub(crate) const LONG: usize = 1 << 16;

/// The interval between polls for signals.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The maximum number of threads; a greater number is probably a mistake.
const MAX_THREADS: usize = 1024;
/// The number of cached pools: the default one, and the last one with an explicit size.
const MAX_POOLS: usize = 2;

/// The `threads` argument.
#[derive(Clone, Copy)]
pub(crate) struct Threads(NonZeroUsize);

impl FromPyObject<'_, '_> for Threads {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let asked = match given.extract::<i64>() {
            Ok(asked) => usize::try_from(asked).ok(),
            Err(problem) if problem.is_instance_of::<PyOverflowError>(given.py()) => None,
            Err(problem) => return Err(problem),
        };
        let asked = asked.filter(|&asked| asked <= MAX_THREADS).and_then(NonZeroUsize::new);
        asked.map(Self).ok_or_else(|| {
            let said = given.str().map(|said| said.to_string()).unwrap_or_default();
            PyValueError::new_err(format!(
                "threads must be from 1 to {MAX_THREADS}, not {said}; leave it out for one for each core"
            ))
        })
    }
}

/// A cancellation flag.
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn is_requested(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn request(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Return the number of threads to use.
pub(crate) fn count(threads: Option<Threads>) -> usize {
    match threads {
        Some(Threads(asked)) => asked.get(),
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    }
}

struct Pools {
    owner: u32,
    cached: Vec<(usize, Arc<ThreadPool>)>,
}

/// Locked only while holding the GIL, so it is never locked during a fork.
static POOLS: Mutex<Pools> = Mutex::new(Pools { owner: 0, cached: Vec::new() });

/// Return a pool of `count` threads.
fn pool(count: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.owner != process {
        // After a fork, the threads exist only in the parent, and dropping their pool would wait for them.
        std::mem::forget(std::mem::take(&mut pools.cached));
        pools.owner = process;
    }
    if let Some((_, known)) = pools.cached.iter().find(|(threads, _)| *threads == count) {
        return Ok(known.clone());
    }
    let made = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|nth| format!("judgecore-{nth}"))
        .build()
        .map_err(|problem| PyRuntimeError::new_err(format!("{count} threads can't be started: {problem}")))?;
    let made = Arc::new(made);
    if pools.cached.len() >= MAX_POOLS {
        pools.cached.pop();
    }
    pools.cached.push((count, made.clone()));
    Ok(made)
}

/// Run jobs on the pool's threads, each as soon as it is created. Creating a job needs the GIL, running it does not.
///
/// The calling thread waits and polls for signals. If a signal handler raises an exception, or a job can't be created,
/// the others are asked to stop, and the exception is returned when they have.
pub(crate) fn run_each<J: FnOnce(&Stop) + Send>(
    py: Python<'_>,
    threads: usize,
    jobs: impl Iterator<Item = PyResult<J>>,
) -> PyResult<()> {
    let pool = pool(threads)?;
    let stop = Stop::default();
    let (working, finished) = channel::<()>();
    let mut signals = SignalPoll::new();
    pool.in_place_scope(|scope| {
        let stop = &stop;
        let mut spawn = |job: PyResult<J>| {
            let job = job?;
            // The sender is dropped when the job ends, also by a panic, which notifies the caller.
            let working = working.clone();
            scope.spawn(move |_| {
                let _working = working;
                job(stop);
            });
            signals.poll(py)
        };
        let spawned = jobs.map(&mut spawn).find(Result::is_err).unwrap_or(Ok(()));
        if spawned.is_err() {
            stop.request();
        }
        drop(working);
        let waited = py.detach(move || wait(&finished, stop));
        waited.and(spawned)
    })
}

fn wait(finished: &Receiver<()>, stop: &Stop) -> PyResult<()> {
    while finished.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        if let Some(Err(interruption)) = Python::try_attach(check_signals) {
            stop.request();
            // Wait here, because the end of the scope would wait while holding the GIL.
            while finished.recv().is_ok() {}
            return Err(interruption);
        }
    }
    Ok(())
}

/// Run pending signal handlers; return the exception that one raises.
fn check_signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Polls for signals at intervals, in a loop of the calling thread.
pub(crate) struct SignalPoll(Instant);

impl SignalPoll {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// If a poll is due, release the GIL for other threads and check for signals.
    pub(crate) fn poll(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.is_due() {
            py.detach(|| ());
            check_signals(py)?;
        }
        Ok(())
    }

    /// If a poll is due, check for signals in a thread that does not hold the GIL.
    pub(crate) fn poll_detached(&mut self) -> PyResult<()> {
        if self.is_due() { Python::try_attach(check_signals).unwrap_or(Ok(())) } else { Ok(()) }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.0.elapsed() >= POLL_INTERVAL;
        if is_due {
            self.0 = Instant::now();
        }
        is_due
    }
}
