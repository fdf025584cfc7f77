//! The threads that columns are worked on with, and a caller that still hears Ctrl-C.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A reply of so many bytes is read without the GIL.
pub(crate) const LONG: usize = 1 << 16;

/// How often the caller looks whether it was interrupted.
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);
/// More threads than any machine has cores are a slip.
const MOST: usize = 1024;
/// Pools that are kept for the next call: the usual one, and one that was asked for.
const KEPT: usize = 2;

/// How many threads a caller asks for.
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
        let asked = asked.filter(|&asked| asked <= MOST).and_then(NonZeroUsize::new);
        asked.map(Self).ok_or_else(|| {
            let said = given.str().map(|said| said.to_string()).unwrap_or_default();
            PyValueError::new_err(format!(
                "threads must be from 1 to {MOST}, not {said}; leave it out for one for each core"
            ))
        })
    }
}

/// Whether the work is to be given up.
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn is_asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    fn ask(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// How many threads that makes on this machine.
pub(crate) fn count(threads: Option<Threads>) -> usize {
    match threads {
        Some(Threads(asked)) => asked.get(),
        None => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
    }
}

struct Pools {
    owner: u32,
    kept: Vec<(usize, Arc<ThreadPool>)>,
}

/// Locked only by a thread that holds the GIL, so that no fork meets it locked.
static POOLS: Mutex<Pools> = Mutex::new(Pools { owner: 0, kept: Vec::new() });

/// The pool of so many threads.
fn pool(count: usize) -> PyResult<Arc<ThreadPool>> {
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    if pools.owner != process {
        // A fork leaves the threads behind in its parent; to drop their pool would be to talk to them.
        std::mem::forget(std::mem::take(&mut pools.kept));
        pools.owner = process;
    }
    if let Some((_, known)) = pools.kept.iter().find(|(threads, _)| *threads == count) {
        return Ok(known.clone());
    }
    let made = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(|nth| format!("judgecore-{nth}"))
        .build()
        .map_err(|problem| PyRuntimeError::new_err(format!("{count} threads can't be started: {problem}")))?;
    let made = Arc::new(made);
    if pools.kept.len() >= KEPT {
        pools.kept.pop();
    }
    pools.kept.push((count, made.clone()));
    Ok(made)
}

/// Run a job on the pool's threads without the GIL.
///
/// The calling thread waits and looks for signals. When one raises an exception, the job is told to stop, and the
/// exception is the result once it has.
pub(crate) fn run(py: Python<'_>, threads: usize, job: impl FnOnce(&Stop) + Send) -> PyResult<()> {
    run_each(py, threads, std::iter::once(Ok(job)))
}

/// Run jobs on the pool's threads, each as soon as it is there; to make them takes the GIL, and to do them does not.
///
/// Otherwise as [`run`]. Where one can't be made the others are told to stop, and why it can't is the result.
pub(crate) fn run_each<J: FnOnce(&Stop) + Send>(
    py: Python<'_>,
    threads: usize,
    jobs: impl Iterator<Item = PyResult<J>>,
) -> PyResult<()> {
    let pool = pool(threads)?;
    let stop = Stop::default();
    let (working, finished) = channel::<()>();
    let mut lookout = Lookout::new();
    pool.in_place_scope(|scope| {
        let stop = &stop;
        let mut spawn = |job: PyResult<J>| {
            let job = job?;
            // Dropped at the end, however that comes, and the caller hears of it.
            let working = working.clone();
            scope.spawn(move |_| {
                let _working = working;
                job(stop);
            });
            lookout.look(py)
        };
        let spawned = jobs.map(&mut spawn).find(Result::is_err).unwrap_or(Ok(()));
        if spawned.is_err() {
            stop.ask();
        }
        drop(working);
        let waited = py.detach(move || wait(&finished, stop));
        waited.and(spawned)
    })
}

fn wait(finished: &Receiver<()>, stop: &Stop) -> PyResult<()> {
    while finished.recv_timeout(BETWEEN_LOOKS) == Err(RecvTimeoutError::Timeout) {
        if let Some(Err(interruption)) = Python::try_attach(signals) {
            stop.ask();
            // Here, and not at the end of the scope, which waits with the GIL.
            while finished.recv().is_ok() {}
            return Err(interruption);
        }
    }
    Ok(())
}

/// What a job sends, if it comes before it is time to look for signals; others have the GIL until then.
pub(crate) fn receive<T: Send>(py: Python<'_>, receiver: &Mutex<Receiver<T>>) -> PyResult<Option<T>> {
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(BETWEEN_LOOKS).ok();
    let sent = py.detach(next);
    signals(py).map(|()| sent)
}

/// What a signal's handler raises, if one came.
fn signals(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Looks for signals now and then, in a loop of the calling thread.
pub(crate) struct Lookout(Instant);

impl Lookout {
    pub(crate) fn new() -> Self {
        Self(Instant::now())
    }

    /// Look for signals, and let other threads have the GIL, unless that was done just now.
    pub(crate) fn look(&mut self, py: Python<'_>) -> PyResult<()> {
        if self.is_due() {
            py.detach(|| ());
            signals(py)?;
        }
        Ok(())
    }

    /// Look for signals in a thread that does not hold the GIL.
    pub(crate) fn look_detached(&mut self) -> PyResult<()> {
        if self.is_due() { Python::try_attach(signals).unwrap_or(Ok(())) } else { Ok(()) }
    }

    fn is_due(&mut self) -> bool {
        let is_due = self.0.elapsed() >= BETWEEN_LOOKS;
        if is_due {
            self.0 = Instant::now();
        }
        is_due
    }
}
