//! What tokens of integrations and of installations may call: every operation of the contract, by its scope.

use openapi::call::Scope;

use crate::support::{
    client::{Answer, Client},
    contract::{self, Operation},
    database::{TestDatabase, on_each_database},
    installed::Installed,
    world::World,
};

on_each_database![
    operations_without_a_scope_refuse_integrations,
    the_scope_of_an_operation_is_needed,
    the_scope_of_an_operation_is_enough,
    installations_reach_nothing_beyond_theirs,
];

fn scope(operation: &Operation) -> Option<Scope> {
    let mut known = openapi::operations::OPERATIONS.iter();
    known.find(|known| known.id == operation.id).unwrap().scope
}

/// All scopes of the contract.
fn scopes() -> Vec<&'static str> {
    let listed = &contract::document()["components"]["schemas"]["IntegrationScope"]["enum"];
    let listed = listed.as_array().unwrap().iter();
    listed.map(|scope| scope.as_str().unwrap()).collect()
}

async fn call(client: &Client, operation: &Operation, value: impl Fn(&'static str) -> String) -> Answer {
    let call = client.operation(contract::operation(operation.id));
    let parameters = operation.path_parameters().into_iter();
    let call = parameters.fold(call, |call, name| call.path(name, value(name)));
    match operation.body_example() {
        Some(body) => call.json(body.clone()).send().await,
        None => call.send().await,
    }
}

async fn operations_without_a_scope_refuse_integrations(database: TestDatabase) {
    let world = World::new(database).await;
    let installed = Installed::everywhere(&world, "all-scopes", &scopes()).await;
    for operation in contract::operations().filter(|operation| scope(operation).is_none()) {
        for client in [&installed.own, &installed.client] {
            let answer = call(client, &operation, |name| world.own_at(operation.path, name)).await;
            assert_eq!(answer.status, 401, "{}: {}", operation.id, answer.text);
        }
    }
}

async fn the_scope_of_an_operation_is_needed(database: TestDatabase) {
    let world = World::new(database).await;
    for needed in scopes() {
        let others: Vec<&str> = scopes().into_iter().filter(|scope| *scope != needed).collect();
        let name = format!("without-{}", needed.replace(':', "-"));
        let installed = Installed::everywhere(&world, &name, &others).await;
        let operations = contract::operations();
        for operation in operations.filter(|operation| scope(operation) == Some(Scope::Named(needed))) {
            // A token of the integration itself belongs to no installation.
            for client in [&installed.own, &installed.client] {
                let answer = call(client, &operation, |name| world.own_at(operation.path, name)).await;
                let error = answer.expect(403);
                assert_eq!(
                    error["error"]["type"], "missing-scope",
                    "{}: {}",
                    operation.id, answer.text
                );
            }
        }
    }
}

async fn the_scope_of_an_operation_is_enough(database: TestDatabase) {
    let world = World::new(database).await;
    for needed in scopes() {
        let name = format!("with-{}", needed.replace(':', "-"));
        let installed = Installed::everywhere(&world, &name, &[needed]).await;
        let operations = contract::operations();
        for operation in operations.filter(|operation| scope(operation) == Some(Scope::Named(needed))) {
            let own = |name| world.own_at(operation.path, name);
            let answer = call(&installed.client, &operation, own).await;
            if operation.is_safe {
                let of_admin = call(&world.admin.client, &operation, own).await;
                assert_eq!(answer.status, of_admin.status, "{}: {}", operation.id, answer.text);
            }
            let is_let_in = answer.status != 401 && answer.status != 403;
            assert!(is_let_in, "{}: {}", operation.id, answer.text);
        }
    }
}

async fn installations_reach_nothing_beyond_theirs(database: TestDatabase) {
    let world = World::new(database).await;
    let everywhere = Installed::everywhere(&world, "everywhere", &scopes()).await;
    let nowhere = Installed::nowhere(&world, "nowhere", &scopes()).await;
    for operation in contract::operations() {
        let Some(Scope::Named(_)) = scope(&operation) else {
            continue;
        };
        let parameters = operation.path_parameters();
        let has = |names: &[&str]| parameters.iter().any(|name| names.contains(name));
        if has(&["spaceId", "siteId"]) {
            let own = |name| world.own_at(operation.path, name);
            let answer = call(&nowhere.client, &operation, own).await;
            assert_eq!(answer.status, 404, "{} nowhere: {}", operation.id, answer.text);
        }
        if has(&["spaceId", "siteId", "organizationId"]) {
            let foreign = |name: &'static str| match name {
                "organizationId" => world.other_organization.to_string(),
                _ => world.foreign_at(operation.path, name),
            };
            let answer = call(&everywhere.client, &operation, foreign).await;
            assert_eq!(answer.status, 404, "{} elsewhere: {}", operation.id, answer.text);
        }
    }
}
