//! The memory of translated segments: what it lacks is asked of the engine, and stored as it comes.

use std::collections::{HashMap, HashSet};

use chrono::TimeDelta;
use entity::languages::translations::segments::Model;
use futures_util::{StreamExt, stream::FuturesUnordered};
use openapi::error::ApiError;
use platform::db::Tx;
use sea_orm::DbErr;
use translation::{
    MemoryKey, Segment,
    engine::{Engine, EngineError},
    translate::{Outcome, Translations, translate},
};

use super::context::RunContext;

use crate::areas::languages::translations::store;

/// Segments that are looked up in the memory together.
const LOOKUP: usize = 400;

/// Segments, and bytes of them, in one request to the engine.
const BATCH_SEGMENTS: usize = 20;
const BATCH_BYTES: usize = 5_000;

pub enum MemoryError {
    /// The engine does not translate now.
    Engine(EngineError),
    Api(ApiError),
}

impl<E: Into<ApiError>> From<E> for MemoryError {
    fn from(error: E) -> Self {
        Self::Api(error.into())
    }
}

type Batch = Vec<(MemoryKey, Segment)>;

/// What the engine was paid for.
#[derive(Clone, Default)]
struct Paid {
    rows: Vec<Model>,
    /// The words that were sent beyond those of the rows.
    extra_words: u64,
}

/// What a batch brought.
struct BatchResult {
    paid: Paid,
    /// The words of its requests after the first one.
    repeated_words: u64,
    failure: Option<EngineError>,
}

/// The memory of a run.
pub struct Memory<'r> {
    run: &'r RunContext<'r>,
    engine: Option<&'r dyn Engine>,
    seen: HashSet<MemoryKey>,
    new: Batch,
    /// Why not everything could be translated.
    pub problem: Option<String>,
    words_left: u64,
    /// What could not be stored yet.
    unstored: Paid,
}

impl<'r> Memory<'r> {
    pub async fn new(run: &'r RunContext<'r>) -> Result<Self, ApiError> {
        let (languages, organization) = (run.languages, run.row.organization_id);
        let (db, translator) = (languages.kernel.db.read(), &languages.translator);
        let engine = translator.engine()?;
        let mut words_left = 0;
        if engine.is_some() {
            let of_run = store::words_of_run(db, organization, run.job).await?.sent;
            let yesterday = languages.kernel.clock.now().plus(-TimeDelta::days(1));
            let of_day = store::words_since(db, organization, yesterday).await?;
            let left = |limit: u64, used: i64| limit.saturating_sub(used.unsigned_abs());
            words_left = left(translator.words_per_run, of_run).min(left(translator.words_per_day, of_day));
        }
        Ok(Self {
            run,
            engine,
            seen: HashSet::new(),
            new: Vec::new(),
            problem: None,
            words_left,
            unstored: Paid::default(),
        })
    }

    pub fn has_engine(&self) -> bool {
        self.engine.is_some()
    }

    /// Adds segments that need translations. Those that engines do not take are left out.
    pub fn add(&mut self, segments: impl IntoIterator<Item = Segment>) {
        for segment in segments {
            let key = self.run.key(&segment);
            if segment.has_words() && segment.is_sendable() && self.seen.insert(key) {
                self.new.push((key, segment));
            }
        }
    }

    /// Has the added segments translated, once they are many.
    pub async fn settle(&mut self) -> Result<(), MemoryError> {
        while self.new.len() >= LOOKUP {
            let rest = self.new.split_off(LOOKUP);
            let some = std::mem::replace(&mut self.new, rest);
            self.translate_missing(some).await?;
        }
        Ok(())
    }

    /// Has all added segments translated.
    pub async fn finish(&mut self) -> Result<(), MemoryError> {
        self.settle().await?;
        let rest = std::mem::take(&mut self.new);
        self.translate_missing(rest).await
    }

    async fn translate_missing(&mut self, mut segments: Batch) -> Result<(), MemoryError> {
        let Some(engine) = self.engine else {
            return Ok(());
        };
        let keys: Vec<MemoryKey> = segments.iter().map(|(key, _)| *key).collect();
        let known = self.lookup(&keys).await?;
        segments.retain(|(key, _)| !known.contains_key(key));
        let (run, requests) = (self.run, self.run.languages.translator.requests);
        let mut waiting = batches(segments).into_iter();
        let mut running = FuturesUnordered::new();
        let mut outcome = Ok(());
        loop {
            while outcome.is_ok() && running.len() < requests {
                let Some(batch) = waiting.next() else { break };
                let batch = self.within_limits(batch);
                if !batch.is_empty() {
                    running.push(ask(run, engine, batch));
                }
            }
            // Requests that run are paid for, so that an error does not drop them.
            let Some(result) = running.next().await else {
                return outcome;
            };
            self.words_left = self.words_left.saturating_sub(result.repeated_words);
            let stored = self.store(result.paid).await.map_err(MemoryError::from);
            let failure = result.failure.map(MemoryError::Engine);
            outcome = outcome.and(stored).and(failure.map_or(Ok(()), Err));
        }
    }

    /// Stores what a batch brought, and what could not be stored before it.
    async fn store(&mut self, paid: Paid) -> Result<(), DbErr> {
        self.unstored.rows.extend(paid.rows);
        self.unstored.extra_words += paid.extra_words;
        let Paid { rows, extra_words } = self.unstored.clone();
        let (of_run, now) = (
            (self.run.row.organization_id, self.run.job),
            self.run.languages.kernel.clock.now(),
        );
        let work = move |tx: Tx| async move {
            store::remember(&tx, rows).await?;
            store::add_extra_words(&tx, of_run, extra_words, now).await
        };
        self.run.languages.kernel.db.write(work).await?;
        self.unstored = Paid::default();
        Ok(())
    }

    /// Keeps the segments that may still be sent, and counts their words. A segment that is too long for the rest of the words
    /// leaves it to shorter ones.
    fn within_limits(&mut self, mut batch: Batch) -> Batch {
        batch.retain(|(_, segment)| match self.words_left.checked_sub(words(segment)) {
            Some(left) => {
                self.words_left = left;
                true
            }
            None => {
                self.problem = Some("The limit of words for translations is reached.".to_owned());
                false
            }
        });
        batch
    }

    /// The translations of these segments that are known.
    pub async fn lookup(&self, keys: &[MemoryKey]) -> Result<HashMap<MemoryKey, String>, DbErr> {
        store::remembered(self.run.languages.kernel.db.read(), self.run.row.organization_id, keys).await
    }
}

fn batches(segments: Batch) -> Vec<Batch> {
    let mut all: Vec<Batch> = Vec::new();
    let mut bytes = 0;
    for (key, segment) in segments {
        let length = segment.text().len();
        let fits = |last: &&mut Batch| last.len() < BATCH_SEGMENTS && bytes + length <= BATCH_BYTES;
        match all.last_mut().filter(fits) {
            Some(last) => {
                bytes += length;
                last.push((key, segment));
            }
            None => {
                bytes = length;
                all.push(vec![(key, segment)]);
            }
        }
    }
    all
}

fn words(segment: &Segment) -> u64 {
    u64::try_from(segment.words()).unwrap_or(u64::MAX)
}

/// Asks the engine for the translations of a batch. Segments without one that fits have no row.
async fn ask(run: &RunContext<'_>, engine: &dyn Engine, batch: Batch) -> BatchResult {
    // The semaphore is never closed.
    let _permit = run.languages.translator.permits.acquire().await.ok();
    let segments: Vec<&Segment> = batch.iter().map(|(_, segment)| segment).collect();
    let Translations {
        outcomes,
        sent_words,
        failure,
    } = translate(engine, run.task(), &segments).await;
    let now = run.languages.kernel.clock.now();
    let mut rows = Vec::with_capacity(batch.len());
    let mut translated_words = 0;
    for ((key, segment), outcome) in batch.iter().zip(outcomes) {
        let Outcome::Translated { text, follows_glossary } = outcome else {
            continue;
        };
        translated_words += words(segment);
        rows.push(Model {
            organization_id: run.row.organization_id,
            hash: key.to_vec(),
            text: text.replace('\0', " "),
            words: i32::try_from(segment.words()).unwrap_or(i32::MAX),
            follows_glossary,
            job_id: run.job,
            created_at: now,
        });
    }
    let batch_words: u64 = segments.into_iter().map(words).sum();
    BatchResult {
        paid: Paid {
            rows,
            extra_words: sent_words.saturating_sub(translated_words),
        },
        repeated_words: sent_words.saturating_sub(batch_words),
        failure,
    }
}
