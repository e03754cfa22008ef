//! The task that owns the writing connection.

use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use tokio::sync::{mpsc, oneshot};

use super::job::{Effect, Job, Outcome, Pending};
use super::stopped;
use crate::db::connect::DbOptions;
use crate::db::tx::Tx;

/// Writes that share a commit at most.
const BATCH_SIZE: usize = 64;

/// The way to the task. Dropping it lets the task finish what is queued and end.
pub(in crate::db) struct Writer {
    queue: mpsc::Sender<Message>,
}

enum Message {
    Write(Box<dyn Job>),
    /// Answered once everything queued before it is done; nothing is accepted after it.
    Stop(oneshot::Sender<()>),
}

impl Writer {
    pub(in crate::db) fn start(connection: DatabaseConnection, options: &DbOptions) -> Self {
        let (queue, messages) = mpsc::channel(options.queue);
        tokio::spawn(serve(connection, options.batch_time, messages));
        Self { queue }
    }

    pub(in crate::db) async fn write<F, Fut, T, E>(&self, work: F) -> Result<T, E>
    where
        F: FnOnce(Tx) -> Fut + Send + 'static,
        Fut: Future<Output = Result<T, E>> + Send + 'static,
        T: Send + 'static,
        E: From<DbErr> + Send + 'static,
    {
        let (pending, answer) = Pending::new(work);
        self.queue
            .send(Message::Write(Box::new(pending)))
            .await
            .map_err(|_| stopped())?;
        match answer.await.map_err(|_| stopped())? {
            Outcome::Returned(result) => result,
            Outcome::Panicked(panic) => resume_unwind(panic),
        }
    }

    pub(in crate::db) fn check(&self) -> Result<(), DbErr> {
        if self.queue.is_closed() { Err(stopped()) } else { Ok(()) }
    }

    pub(in crate::db) async fn stop(&self) {
        let (done, finished) = oneshot::channel();
        if self.queue.send(Message::Stop(done)).await.is_ok() {
            // An error says that the task has ended already.
            drop(finished.await);
        }
    }
}

async fn serve(connection: DatabaseConnection, batch_time: Duration, mut messages: mpsc::Receiver<Message>) {
    let mut stopping = Vec::new();
    while let Some(message) = messages.recv().await {
        if let Some(first) = next(Some(message), &mut messages, &mut stopping) {
            let more = || next(messages.try_recv().ok(), &mut messages, &mut stopping);
            share_commit(&connection, batch_time, first, more).await;
        }
    }
    for done in stopping {
        // Nobody waiting for the end is fine too.
        let _ = done.send(());
    }
}

/// One transaction for `first` and for what `more` yields until nothing waits or the batch is full.
async fn share_commit(
    connection: &DatabaseConnection,
    batch_time: Duration,
    first: Box<dyn Job>,
    mut more: impl FnMut() -> Option<Box<dyn Job>>,
) {
    let mut batch = match Batch::begin(connection).await {
        Ok(batch) => batch,
        Err(error) => return first.answer(Err(error)),
    };
    let started = Instant::now();
    let mut job = Some(first);
    while let Some(current) = job {
        batch.run(current).await;
        job = if batch.is_full() || started.elapsed() >= batch_time {
            None
        } else {
            more()
        };
    }
    batch.finish().await;
}

/// The next write that somebody still waits for, beginning with `message`.
fn next(
    message: Option<Message>,
    messages: &mut mpsc::Receiver<Message>,
    stopping: &mut Vec<oneshot::Sender<()>>,
) -> Option<Box<dyn Job>> {
    let mut message = message;
    loop {
        match message? {
            Message::Write(job) if !job.abandoned() => return Some(job),
            Message::Write(_) => {}
            Message::Stop(done) => {
                messages.close();
                stopping.push(done);
            }
        }
        message = messages.try_recv().ok();
    }
}

/// Writes that share a transaction.
struct Batch {
    tx: Tx,
    done: Vec<Box<dyn Job>>,
    end: End,
}

enum End {
    Commit,
    /// The first closure failed. It runs without a savepoint, which saves one to every write that is alone.
    Rollback,
    Lost(DbErr),
}

impl Batch {
    async fn begin(connection: &DatabaseConnection) -> Result<Self, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let tx = Tx::new(connection.begin_with_options(options).await?);
        Ok(Self {
            tx,
            done: Vec::new(),
            end: End::Commit,
        })
    }

    fn is_full(&self) -> bool {
        !matches!(self.end, End::Commit) || self.done.len() >= BATCH_SIZE
    }

    async fn run(&mut self, mut job: Box<dyn Job>) {
        if let Err(error) = self.run_apart(job.as_mut()).await {
            self.end = End::Lost(error);
        }
        self.done.push(job);
    }

    /// Runs a job so that its failure leaves what the others did.
    async fn run_apart(&mut self, job: &mut dyn Job) -> Result<(), DbErr> {
        match self.done.len() {
            0 => {}
            1 => control(&self.tx, "SAVEPOINT job").await?,
            _ => control(&self.tx, "RELEASE job; SAVEPOINT job").await?,
        }
        match job.run(&self.tx).await? {
            Effect::Keep => {}
            Effect::Undo if self.done.is_empty() => self.end = End::Rollback,
            Effect::Undo => control(&self.tx, "ROLLBACK TO job").await?,
        }
        Ok(())
    }

    /// Ends the transaction, then answers everyone in it.
    async fn finish(self) {
        let committed = match self.end {
            End::Commit => self.tx.commit().await,
            End::Rollback => self.tx.rollback().await,
            End::Lost(error) => {
                // It may be gone already; the connection is checked when the pool gets it back.
                drop(self.tx.rollback().await);
                Err(error)
            }
        };
        for job in self.done {
            job.answer(committed.clone());
        }
    }
}

async fn control(tx: &Tx, sql: &str) -> Result<(), DbErr> {
    tx.execute_unprepared(sql).await.map(drop)
}
