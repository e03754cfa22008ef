//! The conditions that hold for a visitor. The answers are kept: many requests ask the same, and a value depends on nothing but
//! the data.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    Condition, Data, EvalError, Evaluator, Overloaded,
    known::{Answer, Holding, Query},
};

impl Evaluator {
    /// Returns those of these conditions that hold. A condition that cannot be parsed holds for nobody.
    pub async fn holding(&self, conditions: BTreeSet<&String>, data: &Data) -> Result<Holding, Overloaded> {
        if conditions.is_empty() {
            return Ok(Holding::default());
        }
        let query = Query {
            data: Arc::clone(&data.of_engine),
            conditions: conditions.into_iter().cloned().collect(),
        };
        if let Some(known) = self.known.0.get(&query) {
            return Ok(known.holding);
        }
        let parsed = query.conditions.iter().filter_map(|source| {
            let condition = Condition::parse(source).ok()?;
            Some((source, condition))
        });
        let (sources, conditions): (Vec<&String>, Vec<Condition>) = parsed.unzip();
        let results = self.results(&conditions, Vec::new(), data).await?.conditions;
        let found = sources.into_iter().zip(&results);
        let holding = found
            .filter(|(_, result)| **result == Ok(true))
            .map(|(source, _)| source.clone());
        let holding = Holding::new(holding.collect());
        let answer = Answer {
            holding: Arc::clone(&holding),
            is_limited: results.contains(&Err(EvalError::LimitReached)),
        };
        self.known.0.insert(query, answer);
        Ok(holding)
    }
}
