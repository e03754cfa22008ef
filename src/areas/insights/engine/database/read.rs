//! Answering queries from segments and the batches that are not in a segment yet.

use std::{panic::resume_unwind, thread};

use entity::{ids::SiteId, timestamp::Timestamp};
use insights::{AddError, Columns, Evaluation, Query, Value};

use super::{
    EngineError,
    parts::{MAX_ATTEMPTS, Part, PartId, columns_of, snapshot, steps},
};
use crate::{areas::insights::engine::compute, kernel::Kernel};

/// Threads that compute an answer.
const THREADS: usize = 2;

/// Memory of each thread for the groups of an answer.
const MAX_GROUP_BYTES: usize = 128 * 1024 * 1024;

impl From<AddError> for EngineError {
    fn from(error: AddError) -> Self {
        match error {
            AddError::Damaged => Self::Damaged,
            AddError::TooManyGroups => Self::TooManyGroups,
        }
    }
}

pub(super) async fn aggregate(kernel: &Kernel, site: SiteId, query: Query) -> Result<Vec<Vec<Value>>, EngineError> {
    for _ in 0..MAX_ATTEMPTS {
        match attempt(kernel, site, &query).await {
            Err(EngineError::Stale) => {}
            answered => return answered,
        }
    }
    Err(EngineError::Stale)
}

async fn attempt(kernel: &Kernel, site: SiteId, query: &Query) -> Result<Vec<Vec<Value>>, EngineError> {
    let (from, to) = (Timestamp::from_millis(query.from), Timestamp::from_millis(query.to));
    let (numbers, rollup) = (query.columns(), query.rollup());
    let is_rolled_up = |part: &Part| {
        matches!(part.id, PartId::Segment(_)) && query.rollup_of(part.events, part.first, part.last).is_some()
    };
    let parts = snapshot(kernel, site, (from, to)).await?;
    let (rolled_up, others): (Vec<Part>, Vec<Part>) = parts.into_iter().partition(is_rolled_up);
    let mut evaluations: Vec<Evaluation> = (0..THREADS)
        .map(|_| Evaluation::new(query.clone(), MAX_GROUP_BYTES))
        .collect();
    let others = steps(&others).map(|step| (step, numbers.as_slice()));
    let rolled_up = steps(&rolled_up).map(|step| (step, rollup.as_slice()));
    for (step, numbers) in others.chain(rolled_up) {
        let columns = columns_of(kernel, step, Some(numbers)).await?;
        compute(|| add(&mut evaluations, &columns))?;
    }
    compute(|| finish(evaluations))
}

/// Adds parts to the evaluations, to each on a thread of its own.
fn add(evaluations: &mut [Evaluation], parts: &[Columns]) -> Result<(), EngineError> {
    let share = parts.len().div_ceil(THREADS).max(1);
    let add =
        |evaluation: &mut Evaluation, parts: &[Columns]| parts.iter().try_for_each(|columns| evaluation.add(columns));
    let added = thread::scope(|scope| {
        let shares = evaluations.iter_mut().zip(parts.chunks(share));
        let threads: Vec<_> = shares
            .map(|(evaluation, parts)| scope.spawn(move || add(evaluation, parts)))
            .collect();
        let ended = threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        ended.collect::<Result<(), AddError>>()
    });
    Ok(added?)
}

fn finish(evaluations: Vec<Evaluation>) -> Result<Vec<Vec<Value>>, EngineError> {
    let mut evaluations = evaluations.into_iter();
    let Some(mut whole) = evaluations.next() else {
        return Ok(Vec::new());
    };
    for evaluation in evaluations {
        whole.merge(evaluation)?;
    }
    Ok(whole.finish())
}
