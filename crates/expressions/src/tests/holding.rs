//! The cache of conditions, and the shares of tenants.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use futures_util::FutureExt;
use moka::Expiry;
use serde_json::Map;
use uuid::Uuid;

use super::data;
use crate::{
    Batch, Condition, Data, Evaluator,
    known::{Answer, KeptByAnswer, Query},
};

#[tokio::test]
async fn conditions_hold_for_their_data_alone() {
    let evaluator = Evaluator::default();
    let plan = |plan: &str| {
        Data::new(
            Map::from_iter([("plan".to_owned(), plan.into())]),
            &Map::new(),
            &Map::new(),
        )
    };
    let sources = [
        "visitor.claims.plan == 'pro'",
        "visitor.claims.plan == 'free'",
        "visitor.",
    ]
    .map(str::to_owned);
    let holding = async |of: &str| {
        let found = evaluator.holding(sources.iter().collect(), &plan(of)).await;
        found.unwrap()
    };
    let pro = holding("pro").await;
    assert_eq!(Vec::from_iter(pro.iter()), [&sources[0]]);
    assert_eq!(Vec::from_iter(holding("free").await.iter()), [&sources[1]]);
    assert!(
        Arc::ptr_eq(&pro, &holding("pro").await),
        "the same query was evaluated twice"
    );
    let data = plan("pro");
    let first = evaluator.holding(sources.iter().take(1).collect(), &data).await;
    assert_eq!(*first.unwrap(), *pro);
}

#[tokio::test]
async fn a_condition_that_reached_a_limit_is_left_alone_for_a_minute() {
    let evaluator = Evaluator::default();
    let hungry = "'a'.repeat(1000).repeat(1000).repeat(1000) == ''".to_owned();
    let always = "true".to_owned();
    let data = data();
    let holding = async || {
        evaluator
            .holding([&hungry, &always].into_iter().collect(), &data)
            .await
            .unwrap()
    };
    let first = holding().await;
    assert_eq!(Vec::from_iter(first.iter()), [&always]);
    assert!(Arc::ptr_eq(&first, &holding().await));
    let query = Query {
        data: Arc::clone(&data.of_engine),
        conditions: Vec::new(),
    };
    let kept = [true, false].map(|is_limited| {
        let answer = Answer {
            holding: Arc::clone(&first),
            is_limited,
        };
        KeptByAnswer.expire_after_create(&query, &answer, Instant::now())
    });
    assert_eq!(kept, [Some(Duration::from_secs(60)), None]);
}

#[tokio::test]
async fn batches_of_one_tenant_wait_for_one_another() {
    let evaluator = Evaluator::default();
    let of = |tenant| data().of_tenant(Uuid::from_u128(tenant));
    let batch = |source| Batch {
        conditions: vec![Condition::parse(source).unwrap()],
        expressions: Vec::new(),
    };
    let (slow, fast) = (
        batch("'x'.repeat(9000).split('').map(a => 'x'.repeat(9000).indexOf('y')) == 1"),
        batch("true"),
    );
    let (busy, other) = (of(1), of(2));
    let mut waiting: Vec<_> = (0..20).map(|_| Box::pin(evaluator.evaluate(&slow, &busy))).collect();
    assert!(waiting.iter_mut().all(|batch| batch.now_or_never().is_none()));
    evaluator.evaluate(&fast, &other).await.unwrap();
    let ended = waiting.iter_mut().filter_map(|batch| batch.now_or_never()).count();
    assert!(ended < 5, "{ended} batches came before");
}
