//! The writer: the task that owns the only connection that writes.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::{Duration, Instant};

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbErr, SqliteTransactionMode, TransactionOptions, TransactionTrait,
};
use tokio::sync::{mpsc, oneshot};

use super::closed;
use crate::db::connect::DbOptions;
use crate::db::errors::{explain, explain_commit, is_not_writable};
use crate::db::queued_write::QueuedWrite;
use crate::db::tx::{Effect, Tx};

/// The most writes that share a commit.
const BATCH_SIZE: usize = 64;

/// The handle of the writer task. When it is dropped, the task finishes the queued writes and ends.
pub(in crate::db) struct Writer {
    queue: mpsc::Sender<Message>,
}

enum Message {
    Write(QueuedWrite),
    /// Acknowledged after all earlier writes; later writes are refused.
    Stop(oneshot::Sender<()>),
}

impl Writer {
    /// `is_suspect` has the connection replaced after its current use.
    pub(in crate::db) fn start(
        connection: DatabaseConnection,
        is_suspect: Arc<AtomicBool>,
        options: &DbOptions,
    ) -> Self {
        let (queue, messages) = mpsc::channel(options.queue);
        let connection = WriteConnection { connection, is_suspect };
        tokio::spawn(serve(connection, options.batch_time, messages));
        Self { queue }
    }

    /// An error means that the database is closed.
    pub(in crate::db) async fn queue(&self, write: QueuedWrite) -> Result<(), DbErr> {
        let queued = self.queue.send(Message::Write(write)).await;
        queued.map_err(|_| closed())
    }

    pub(in crate::db) fn check(&self) -> Result<(), DbErr> {
        if self.queue.is_closed() { Err(closed()) } else { Ok(()) }
    }

    pub(in crate::db) async fn stop(&self) {
        let (done, finished) = oneshot::channel();
        if self.queue.send(Message::Stop(done)).await.is_ok() {
            // An error means that the task has ended already.
            drop(finished.await);
        }
    }
}

/// The connection of the writer.
struct WriteConnection {
    connection: DatabaseConnection,
    is_suspect: Arc<AtomicBool>,
}

impl WriteConnection {
    /// Notes a failure. A connection that was opened while files were read-only stays so, and is replaced.
    fn note(&self, error: &DbErr) {
        if is_not_writable(error) {
            self.is_suspect.store(true, Ordering::Relaxed);
        }
    }
}

async fn serve(connection: WriteConnection, batch_time: Duration, mut messages: mpsc::Receiver<Message>) {
    let mut stopping = Vec::new();
    while let Some(message) = messages.recv().await {
        if let Some(first) = next(Some(message), &mut messages, &mut stopping) {
            let more = || next(messages.try_recv().ok(), &mut messages, &mut stopping);
            share_commit(&connection, batch_time, first, more).await;
        }
    }
    for done in stopping {
        // The receiver may have closed waiting.
        let _ = done.send(());
    }
}

/// Runs `first` and the writes that `more` yields in one transaction, until the queue is empty or the batch is full.
async fn share_commit(
    connection: &WriteConnection,
    batch_time: Duration,
    first: QueuedWrite,
    mut more: impl FnMut() -> Option<QueuedWrite>,
) {
    let mut batch = match Batch::begin(connection).await {
        Ok(batch) => batch,
        Err(error) => {
            connection.note(&error);
            // The others would wait as long, one after the other.
            let failed = Err(explain(error));
            first.respond(failed.clone());
            while let Some(write) = more() {
                write.respond(failed.clone());
            }
            return;
        }
    };
    let started = Instant::now();
    let mut write = Some(first);
    while let Some(current) = write {
        batch.run(current).await;
        write = if batch.is_full() || started.elapsed() >= batch_time {
            None
        } else {
            more()
        };
    }
    batch.finish(connection).await;
}

/// Returns the next write with a waiting caller, beginning with `message`.
fn next(
    message: Option<Message>,
    messages: &mut mpsc::Receiver<Message>,
    stopping: &mut Vec<oneshot::Sender<()>>,
) -> Option<QueuedWrite> {
    let mut message = message;
    loop {
        match message? {
            Message::Write(write) if !write.is_abandoned() => return Some(write),
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
    done: Vec<QueuedWrite>,
    end: BatchEnd,
}

enum BatchEnd {
    Commit,
    /// The first closure failed. It runs without a savepoint, so that a single write needs none.
    Rollback,
    Lost(DbErr),
}

impl Batch {
    async fn begin(connection: &WriteConnection) -> Result<Self, DbErr> {
        let options = TransactionOptions {
            sqlite_transaction_mode: Some(SqliteTransactionMode::Immediate),
            ..TransactionOptions::default()
        };
        let tx = Tx::new(connection.connection.begin_with_options(options).await?);
        Ok(Self {
            tx,
            done: Vec::new(),
            end: BatchEnd::Commit,
        })
    }

    fn is_full(&self) -> bool {
        !matches!(self.end, BatchEnd::Commit) || self.done.len() >= BATCH_SIZE
    }

    async fn run(&mut self, mut write: QueuedWrite) {
        if let Err(error) = self.run_in_savepoint(&mut write).await {
            self.end = BatchEnd::Lost(error);
        }
        self.done.push(write);
    }

    /// Runs a write in its own savepoint, so that its failure keeps the changes of the others.
    async fn run_in_savepoint(&mut self, write: &mut QueuedWrite) -> Result<(), DbErr> {
        match self.done.len() {
            0 => {}
            1 => self.tx.later().savepoint("SAVEPOINT write"),
            _ => self.tx.later().savepoint("RELEASE write; SAVEPOINT write"),
        }
        match write.run(&self.tx).await? {
            Effect::Keep => {}
            Effect::RollBack if self.done.is_empty() => self.end = BatchEnd::Rollback,
            Effect::RollBack if self.tx.later().discard() => {
                self.tx.execute_unprepared("ROLLBACK TO write").await?;
            }
            Effect::RollBack => {}
        }
        Ok(())
    }

    /// Ends the transaction, then responds to all callers in it.
    async fn finish(self, connection: &WriteConnection) {
        let committed = match self.end {
            BatchEnd::Commit => self.tx.commit().await.map_err(|error| {
                connection.note(&error);
                explain_commit(error)
            }),
            BatchEnd::Rollback => self.tx.rollback().await,
            BatchEnd::Lost(error) => {
                connection.note(&error);
                // SQLite may have rolled back already; the pool checks the connection when it is returned.
                drop(self.tx.rollback().await);
                Err(explain(error))
            }
        };
        for write in self.done {
            write.respond(committed.clone());
        }
    }
}
