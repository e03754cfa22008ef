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
use uuid::Uuid;
use wire::shares::Shares;

use crate::{
    Condition, EvalError, Expression,
    engine::{Engine, EngineData, EngineJob, Results, STACK},
    known::Known,
};

/// The most threads, each with an engine.
const MAX_THREADS: usize = 4;

/// Batches that run or wait for a thread.
const MAX_BATCHES: usize = 64;

/// The time for a batch on its thread: what its steps do not stop, such as the making of an engine, this does.
const MAX_TIME: Duration = Duration::from_millis(250);

/// The time for a batch with its wait.
const MAX_WAIT: Duration = Duration::from_secs(5);

/// The data of expressions. Cheap to clone.
#[derive(Clone)]
pub struct Data {
    pub(crate) of_engine: Arc<EngineData>,
    tenant: Uuid,
}

impl Data {
    /// `claims` are those of the visitor: signed ones, and unsigned ones in the member `unsigned`.
    pub fn new(mut claims: Map<String, Value>, space: &Map<String, Value>, page: &Map<String, Value>) -> Self {
        // `!visitor.claims.unsigned.beta` holds for visitors without claims.
        let unsigned = claims.entry("unsigned").or_insert(Value::Null);
        if !unsigned.is_object() {
            *unsigned = Value::Object(Map::new());
        }
        EngineData::new(&claims, space, page).into()
    }

    /// Data of visitors of whom nothing is to be known: conditions that depend on the visitor hold for nobody, not even negated
    /// ones, and expressions see no claims.
    pub fn without_visitor(space: &Map<String, Value>, page: &Map<String, Value>) -> Self {
        let claims = Map::from_iter([("unsigned".to_owned(), Value::Object(Map::new()))]);
        EngineData::new(&claims, space, page).without_visitor().into()
    }

    /// Notes for whom batches on this data are evaluated: the batches of one tenant wait for one another.
    pub fn of_tenant(self, tenant: Uuid) -> Self {
        Self { tenant, ..self }
    }

    /// The code of a condition that is to be evaluated.
    fn code<'c>(&self, condition: &'c Condition) -> Option<&'c Arc<str>> {
        let evaluated = condition.0.as_ref();
        let evaluated = evaluated.filter(|it| self.of_engine.knows_visitor || !it.depends_on_visitor());
        evaluated.map(|it| &it.code)
    }
}

impl From<EngineData> for Data {
    fn from(data: EngineData) -> Self {
        Self {
            of_engine: Arc::new(data),
            tenant: Uuid::nil(),
        }
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
    _places: [OwnedSemaphorePermit; 2],
}

/// Evaluates batches within fixed limits of steps, memory and time. The threads start with the first batch, and end with
/// the evaluator.
pub struct Evaluator {
    /// `None`: the system has no threads left.
    jobs: OnceLock<Option<Sender<Job>>>,
    places: Arc<Semaphore>,
    /// Half of the threads for each tenant.
    tenants: Shares<Uuid>,
    pub(crate) known: Known,
}

impl Default for Evaluator {
    fn default() -> Self {
        Self {
            jobs: OnceLock::new(),
            places: Arc::new(Semaphore::new(MAX_BATCHES)),
            tenants: Shares::new((threads() / 2).max(1)),
            known: Known::default(),
        }
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
        let of_tenant = self.tenants.of(data.tenant).acquire_owned().await.ok()?;
        let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
        let (answer, results) = oneshot::channel();
        let of_engine = EngineJob {
            data: Arc::clone(&data.of_engine),
            conditions,
            texts,
        };
        let job = Job {
            of_engine,
            answer,
            _places: [of_tenant, place],
        };
        self.jobs.get_or_init(start_threads).as_ref()?.send(job).ok()?;
        results.await.ok().flatten()
    }
}

fn threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.min(MAX_THREADS)
}

fn start_threads() -> Option<Sender<Job>> {
    let (jobs, receiver) = channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..threads() {
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
