//! Evaluation on threads of its own.

use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        mpsc::{Receiver, Sender, channel},
    },
    time::{Duration, Instant},
};

use serde_json::{Map, Value};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use crate::{
    Condition, EvalError, Expression,
    engine::{Engine, EngineData, EngineJob, Results, STACK},
    known::Known,
};

/// The most threads, each with an engine.
const MAX_THREADS: usize = 4;

/// Batches that run or wait.
const MAX_BATCHES: usize = 64;

/// The time for a batch on its thread: what its steps do not stop, such as the making of an engine, this does.
const MAX_TIME: Duration = Duration::from_millis(250);

/// The time for a batch with its wait.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The data of expressions. Cheap to clone.
#[derive(Clone)]
pub struct Data(pub(crate) Arc<EngineData>);

impl Data {
    /// `claims` are those of the visitor: signed ones, and unsigned ones in the member `unsigned`.
    pub fn new(mut claims: Map<String, Value>, space: &Map<String, Value>, page: &Map<String, Value>) -> Self {
        // `!visitor.claims.unsigned.beta` holds for visitors without claims.
        let unsigned = claims.entry("unsigned").or_insert(Value::Null);
        if !unsigned.is_object() {
            *unsigned = Value::Object(Map::new());
        }
        Self(Arc::new(EngineData::new(&claims, space, page)))
    }

    /// Data of visitors of whom nothing is to be known: conditions that depend on the visitor hold for nobody, not even negated
    /// ones, and expressions see no claims.
    pub fn without_visitor(space: &Map<String, Value>, page: &Map<String, Value>) -> Self {
        let claims = Map::from_iter([("unsigned".to_owned(), Value::Object(Map::new()))]);
        Self(Arc::new(EngineData::new(&claims, space, page).without_visitor()))
    }

    /// The code of a condition that is to be evaluated.
    fn code<'c>(&self, condition: &'c Condition) -> Option<&'c Arc<str>> {
        let evaluated = condition.0.as_ref();
        let evaluated = evaluated.filter(|it| self.0.knows_visitor || !it.depends_on_visitor());
        evaluated.map(|it| &it.code)
    }
}

/// There are more batches than the threads can evaluate. Nothing is known about this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overloaded;

impl fmt::Display for Overloaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Too many expressions are being evaluated.")
    }
}

impl std::error::Error for Overloaded {}

/// Conditions and expressions that are evaluated together, on the same data.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    pub conditions: Vec<Condition>,
    pub expressions: Vec<Expression>,
}

/// The results of a batch, in its order.
#[derive(Debug, PartialEq, Eq)]
pub struct Outcome {
    /// A condition that fails does not hold.
    pub conditions: Vec<bool>,
    pub texts: Vec<Result<String, EvalError>>,
}

struct Job {
    of_engine: EngineJob,
    answer: oneshot::Sender<Option<Results>>,
    _place: OwnedSemaphorePermit,
}

/// Evaluates batches within fixed limits of steps, memory and time. The threads start with the first batch, and end with
/// the evaluator.
#[derive(Default)]
pub struct Evaluator {
    /// `None`: the system has no threads left.
    jobs: OnceLock<Option<Sender<Job>>>,
    places: Places,
    pub(crate) known: Known,
}

struct Places(Arc<Semaphore>);

impl Default for Places {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_BATCHES)))
    }
}

impl Evaluator {
    /// Evaluates a batch. Each condition and expression has a result, even if others fail.
    pub async fn evaluate(&self, batch: &Batch, data: &Data) -> Result<Outcome, Overloaded> {
        let Batch {
            conditions,
            expressions,
        } = batch;
        let texts: Vec<Arc<str>> = expressions.iter().map(|it| Arc::clone(&it.code)).collect();
        let results = self.results(conditions, texts, data).await?;
        Ok(Outcome {
            conditions: results
                .conditions
                .into_iter()
                .map(|result| result == Ok(true))
                .collect(),
            texts: results.texts,
        })
    }

    /// The results of all conditions, also of those without code, and of all texts.
    pub(crate) async fn results(
        &self,
        conditions: &[Condition],
        texts: Vec<Arc<str>>,
        data: &Data,
    ) -> Result<Results, Overloaded> {
        let codes = conditions.iter().filter_map(|condition| data.code(condition));
        let codes: Vec<Arc<str>> = codes.cloned().collect();
        let results = if codes.is_empty() && texts.is_empty() {
            Results::default()
        } else {
            let answer = self.answer(data, codes, texts);
            let answer = tokio::time::timeout(MAX_WAIT, answer).await;
            answer.ok().flatten().ok_or(Overloaded)?
        };
        let mut with_code = results.conditions.into_iter();
        let of_condition = |condition: &Condition| match data.code(condition) {
            Some(_) => with_code.next().unwrap_or(Err(EvalError::LimitReached)),
            // A blank one holds.
            None => Ok(condition.0.is_none()),
        };
        Ok(Results {
            conditions: conditions.iter().map(of_condition).collect(),
            texts: results.texts,
        })
    }

    async fn answer(&self, data: &Data, conditions: Vec<Arc<str>>, texts: Vec<Arc<str>>) -> Option<Results> {
        let place = Arc::clone(&self.places.0).acquire_owned().await.ok()?;
        let (answer, results) = oneshot::channel();
        let of_engine = EngineJob {
            data: Arc::clone(&data.0),
            conditions,
            texts,
        };
        let job = Job {
            of_engine,
            answer,
            _place: place,
        };
        self.jobs.get_or_init(start_threads).as_ref()?.send(job).ok()?;
        results.await.ok().flatten()
    }
}

fn start_threads() -> Option<Sender<Job>> {
    let (jobs, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 0..cores.min(MAX_THREADS) {
        let receiver = Arc::clone(&receiver);
        let thread = std::thread::Builder::new().name("expressions".to_owned());
        if let Err(error) = thread.stack_size(STACK * 8).spawn(move || serve(&receiver)) {
            tracing::error!(cause = %error, "cannot start a thread for expressions");
            return None;
        }
    }
    Some(jobs)
}

fn serve(jobs: &Mutex<Receiver<Job>>) {
    let mut engine = None;
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        // Whoever asked may have gone while the job waited.
        if !job.answer.is_closed() {
            let results = run(&mut engine, &job.of_engine);
            drop(job.answer.send(results));
        }
    }
}

/// Runs a job. An expression that breaks the engine has no value, and the others get a new engine.
fn run(engine: &mut Option<Engine>, job: &EngineJob) -> Option<Results> {
    let deadline = Instant::now() + MAX_TIME;
    let mut results = Results::default();
    while !results.is_complete(job) {
        let mut ready = match engine.take() {
            Some(ready) => ready,
            None => match Engine::new() {
                Ok(new) => new,
                Err(error) => {
                    tracing::error!(cause = %error, "cannot start the engine of expressions");
                    return None;
                }
            },
        };
        match ready.evaluate(job, deadline, &mut results) {
            Ok(()) => *engine = Some(ready),
            Err(_) => results.push_broken(job),
        }
    }
    Some(results)
}
