//! The time of conditions, with the hand-over to a thread of the evaluator: `cargo bench -p expressions`.

use std::time::Instant;

use expressions::{Batch, Condition, Data, Evaluator, Expression};
use serde_json::{Map, Value, json};

const SOURCES: [&str; 3] = [
    "visitor.claims.plan == \"pro\"",
    "visitor.claims.unsigned.beta && visitor.claims.seats > 10",
    "visitor.claims.roles.includes(\"admin\")",
];

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let evaluator = Evaluator::default();
    let mut claims = Map::new();
    for (name, value) in [
        ("plan", json!("pro")),
        ("seats", json!(12)),
        ("roles", json!(["editor", "admin"])),
        ("unsigned", json!({ "beta": true })),
    ] {
        claims.insert(name.to_owned(), value);
    }
    let variables: Map<String, Value> = Map::new();
    let data = Data::new(claims, &variables, &variables);
    for count in [1, 10, 100, 1000] {
        let conditions = SOURCES
            .iter()
            .cycle()
            .take(count)
            .map(|source| Condition::parse(source));
        let batch = Batch {
            conditions: conditions.collect::<Result<_, _>>()?,
            expressions: Vec::new(),
        };
        let rounds = 200_000 / count.max(10);
        let start = Instant::now();
        for _ in 0..rounds {
            let outcome = evaluator.evaluate(&batch, &data).await?;
            assert!(outcome.conditions.iter().all(|holds| *holds));
        }
        let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(u32::try_from(rounds)?);
        println!("batch of {count:4} conditions: {micros:8.1} µs");
    }
    let rounds = 100_000;
    let start = Instant::now();
    for _ in 0..rounds {
        for source in SOURCES {
            std::hint::black_box(Expression::parse(std::hint::black_box(source))?);
        }
    }
    let micros = start.elapsed().as_secs_f64() * 1e6 / f64::from(rounds) / 3.0;
    println!("parsing a condition: {micros:.2} µs");
    Ok(())
}
