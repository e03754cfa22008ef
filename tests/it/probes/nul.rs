//! U+0000 in paths: PostgreSQL has no text with it, so no query may get one.

use crate::support::{
    contract,
    database::{TestDatabase, on_each_database},
    world::World,
};

on_each_database![a_path_with_nul_leads_nowhere];

async fn a_path_with_nul_leads_nowhere(database: TestDatabase) {
    let world = World::new(database).await;
    let mut failed = Vec::new();
    for operation in contract::operations() {
        for parameter in operation.parameters().into_iter().filter(|p| p.place == "path") {
            let value = |name| {
                if name == parameter.name {
                    "a\0b".to_owned()
                } else {
                    world.own_at(operation.path, name)
                }
            };
            let call = world.allowed_at(&operation, value);
            let call = match operation.body_example() {
                Some(body) => call.json(body.clone()),
                None => call,
            };
            let answer = call.send().await;
            if answer.status >= 500 {
                failed.push(format!("{} {}: {}", operation.id, parameter.name, answer.text));
            }
        }
    }
    assert_eq!(failed, Vec::<String>::new());
}
