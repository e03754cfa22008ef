//! The operations of the requirement.

use std::collections::BTreeSet;

use crate::support::contract;

/// The method and the path of each, one a line.
const REQUIRED: &str = include_str!("requirement.txt");

/// A path without the names of its parameters.
fn shape(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment.starts_with('{') {
        true => "{}",
        false => segment,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[test]
fn all_operations_of_the_requirement_are_there() {
    let operations = contract::operations().map(|operation| (operation.method.to_uppercase(), shape(operation.path)));
    let operations: BTreeSet<(String, String)> = operations.collect();
    let required: Vec<(&str, &str)> = REQUIRED.lines().map(|line| line.split_once(' ').unwrap()).collect();
    assert_eq!(required.len(), 140);
    let missing = required.into_iter().filter(|(method, path)| {
        let operation = ((*method).to_owned(), shape(path));
        !operations.contains(&operation)
    });
    let missing: Vec<(&str, &str)> = missing.collect();
    assert!(missing.is_empty(), "{missing:#?}");
}
