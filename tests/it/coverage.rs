//! No operation of the contract is without tests.

use std::{collections::BTreeSet, fs, path::PathBuf};

use crate::support::contract;

/// The tests that walk the whole contract: whoever adds an operation gets them without doing anything, as long as the
/// probes know its path parameters.
const PROBES: [(&str, &str); 15] = [
    ("access", "without_a_valid_token_every_operation_is_401"),
    ("access", "strangers_see_nothing"),
    ("access", "one_level_too_low_is_403"),
    ("access", "whoever_is_named_in_the_path_passes"),
    ("access", "objects_of_other_organizations_are_404"),
    ("access", "ids_that_are_none_are_404"),
    ("agreement", "bodies_are_judged_as_the_contract_does"),
    ("paging", "every_list_is_walked_completely"),
    ("paging", "limits_are_kept"),
    ("paging", "cursors_of_other_lists_are_refused"),
    ("validation", "bodies_that_are_no_json_are_refused"),
    ("validation", "every_member_keeps_its_rules"),
    ("validation", "every_query_parameter_keeps_its_rules"),
    ("validation", "every_header_parameter_keeps_its_rules"),
    (
        "statements",
        "lists_take_as_many_statements_for_a_hundred_rows_as_for_one",
    ),
];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

fn source(module: &str) -> String {
    let path = directory().join(format!("{module}.rs"));
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names of the test files, without those that only look at others.
fn modules() -> BTreeSet<String> {
    let files = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let sources = files.filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let names = sources.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
    names.filter(|name| name != "main" && name != "coverage").collect()
}

#[test]
fn every_operation_has_a_test_of_its_success() {
    let sources: Vec<String> = modules().iter().map(|module| source(module)).collect();
    let mut missing = Vec::new();
    for operation in contract::operations() {
        let call = format!(".call(\"{}\")", operation.id);
        let expected = format!(".expect({})", operation.success());
        if !sources
            .iter()
            .any(|source| source.contains(&call) && source.contains(&expected))
        {
            missing.push(format!("{call} … {expected}"));
        }
    }
    assert!(
        missing.is_empty(),
        "write tests in tests/it with these calls: {missing:#?}"
    );
}

#[test]
fn every_test_file_takes_part() {
    let main = source("main");
    let strays: Vec<String> = modules()
        .into_iter()
        .filter(|name| !main.contains(&format!("\nmod {name};")))
        .collect();
    assert!(strays.is_empty(), "name these in tests/it/main.rs: {strays:?}");
}

#[test]
fn every_probe_walks_the_contract() {
    for (module, probe) in PROBES {
        let source = source(module);
        assert!(
            source.contains(&format!("    {probe},\n")),
            "{module}.rs does not run {probe}"
        );
        assert!(
            source.contains("contract::operations()"),
            "{module}.rs does not walk the contract"
        );
    }
}

#[test]
fn probes_know_every_path_parameter() {
    let places = source("support/places");
    let names: BTreeSet<&str> = contract::operations().flat_map(|o| o.path_parameters()).collect();
    for name in names {
        let known = places.contains(&format!("\"{name}\"")) || contract::rest_of_path(name).is_some();
        assert!(known, "say in tests/it/support/places.rs what {name} is");
    }
}

#[test]
fn probes_know_who_is_just_below_every_level() {
    let access = source("access");
    let resources = contract::document()["x-access-resources"].as_object().unwrap();
    for operation in contract::operations() {
        let required = operation.access();
        assert!(
            resources.contains_key(required.resource),
            "{} guards with {}",
            operation.id,
            required.resource
        );
        let known = format!("(\"{}\", ", required.resource);
        assert!(
            access.contains(&known),
            "say in tests/it/access.rs who is just below on {}",
            required.resource
        );
    }
}
