//! No operation of the contract is without tests.

use std::{collections::BTreeSet, fs, path::PathBuf};

use crate::support::{access, client::NOBODY, contract, record};

/// The tests that walk the whole contract: whoever adds an operation gets them without doing anything, as long as the
/// probes know its path parameters.
const PROBES: [(&str, &str); 16] = [
    ("access", "without_a_valid_token_every_operation_is_401"),
    ("access", "strangers_see_nothing"),
    ("access", "one_level_too_low_is_403"),
    ("access", "the_user_named_in_the_path_passes"),
    ("access", "objects_of_other_organizations_are_404"),
    ("access", "ids_that_are_none_are_404"),
    ("agreement", "bodies_are_judged_as_the_contract_does_1_of_4"),
    ("paging", "every_list_is_walked_completely"),
    ("paging", "limits_are_kept"),
    ("paging", "cursors_of_other_lists_are_refused"),
    ("validation", "bodies_that_are_no_json_are_refused"),
    ("validation", "every_member_keeps_its_rules"),
    ("validation", "every_query_parameter_keeps_its_rules"),
    ("validation", "every_header_parameter_keeps_its_rules"),
    ("validation", "every_path_parameter_keeps_its_rules"),
    ("statements", "lists_take_as_many_statements_for_forty_rows_as_for_one"),
];

/// Declared answers that no test has seen from an operation. It only ever gets shorter.
const UNSEEN: &str = include_str!("unseen.txt");

/// What only races make is seen in one run and not in another.
const SEEN_IN_RACES: [&str; 3] = [" busy", " change-request-merged", " not-found"];

/// What is refused before the operation is known or alike for all, and faults of the server; `platform::http`,
/// `platform::idempotency`, `organizations::required_sso` and scripts/faults test them.
const BESIDE_THE_OPERATION: [&str; 8] = [
    "sso-required",
    "idempotency-key-reused",
    "idempotency-key-unanswered",
    "too-many-requests",
    "timeout",
    "internal",
    "overloaded",
    "unavailable",
];

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it")
}

fn source(module: &str) -> String {
    let path = directory().join(format!("{module}.rs"));
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Runs after all others: scripts/test keeps a record of the calls of a whole run, and then asks for this test.
#[test]
#[ignore = "needs the record of a whole run, which scripts/test keeps"]
fn every_operation_was_called_in_every_role() {
    let calls = record::read();
    let mut missing = Vec::new();
    for operation in contract::operations() {
        let id = operation.id;
        let has = |caller: Option<&str>, status: u16| {
            calls.iter().any(|call| {
                call.operation == id && call.status == status && caller.is_none_or(|caller| call.caller == caller)
            })
        };
        let mut demand = |name: &str, caller: Option<&str>, status: u16| {
            if !has(caller, status) {
                missing.push(format!("{id}: {status} for {name}"));
            }
        };
        demand("an allowed caller", None, operation.success());
        demand(
            "a call without a token",
            Some(NOBODY),
            access::answer_without_token(&operation),
        );
        if let Some(status) = access::answer_to_strangers(&operation) {
            demand("a stranger", Some("stranger"), status);
        }
        if let Some((name, status)) = access::one_below(&operation) {
            demand("a level too low", Some(name), status);
        }
    }
    assert!(missing.is_empty(), "no test has seen these answers: {missing:#?}");
}

/// What an operation declares: successes by status, errors by their words, and rules by code and pointer.
fn declared(operation: &contract::Operation) -> BTreeSet<String> {
    let statuses = operation.statuses().into_iter().filter(|status| *status < 400);
    let statuses = statuses.map(|status| status.to_string());
    let words = operation
        .error_words()
        .filter(|word| !BESIDE_THE_OPERATION.contains(word));
    let rules = operation.refusals().into_iter().chain(operation.example_violations());
    let rules = rules.map(|(rule, pointer)| format!("{rule}@{pointer}"));
    statuses.chain(words.map(str::to_owned)).chain(rules).collect()
}

fn was_seen(calls: &BTreeSet<record::Call>, operation: &str, declared: &str) -> bool {
    let mut calls = calls.iter().filter(|call| call.operation == operation);
    calls.any(|call| match declared.split_once('@') {
        Some((rule, pointer)) => call
            .words
            .iter()
            .filter_map(|word| word.split_once('@'))
            .any(|(code, at)| {
                contract::is_rule(rule, code) && at.starts_with(&pointer.replace(char::is_whitespace, ""))
            }),
        None => call.status.to_string() == declared || call.words.first().is_some_and(|word| word == declared),
    })
}

#[test]
#[ignore = "needs the record of a whole run, which scripts/test keeps"]
fn declared_answers_were_seen() {
    let calls = record::read();
    let mut unseen = BTreeSet::new();
    for operation in contract::operations() {
        let declared = declared(&operation).into_iter();
        let others = declared.filter(|declared| !was_seen(&calls, operation.id, declared));
        unseen.extend(others.map(|declared| format!("{} {declared}", operation.id)));
    }
    let listed: BTreeSet<String> = UNSEEN.lines().map(str::to_owned).collect();
    let new: Vec<_> = unseen.difference(&listed).collect();
    assert!(
        new.is_empty(),
        "write tests that get these answers, or declare them no more: {new:#?}"
    );
    let found = listed.difference(&unseen);
    let found = found.filter(|line| !SEEN_IN_RACES.iter().any(|race| line.ends_with(race)));
    let found: Vec<_> = found.collect();
    assert!(
        found.is_empty(),
        "remove these from tests/it/probes/unseen.txt: {found:#?}"
    );
}

#[test]
fn every_test_file_takes_part() {
    for context in fs::read_dir(directory()).unwrap() {
        let context = context.unwrap().path();
        let Ok(list) = fs::read_to_string(context.join("mod.rs")) else {
            continue;
        };
        for file in fs::read_dir(&context).unwrap() {
            let file = file.unwrap().path();
            let name = file.file_stem().unwrap().to_str().unwrap();
            let takes_part = name == "mod" || list.contains(&format!("mod {name};\n"));
            assert!(
                takes_part || file.extension().is_none_or(|end| end != "rs"),
                "name {} in the mod.rs beside it",
                file.display()
            );
        }
    }
}

#[test]
fn every_probe_walks_the_contract() {
    for (module, probe) in PROBES {
        let source = source(&format!("probes/{module}"));
        assert!(
            source.contains(&format!("    {probe},\n")),
            "tests/it/probes/{module}.rs does not run {probe}"
        );
        assert!(
            source.contains("contract::operations()"),
            "tests/it/probes/{module}.rs does not walk the contract"
        );
    }
}

#[test]
fn probes_know_every_path_parameter() {
    let places = [
        "support/places",
        "support/specs",
        "support/conversations",
        "support/deliveries",
        "support/world/setup",
    ]
    .map(source)
    .concat();
    let names: BTreeSet<&str> = contract::operations().flat_map(|o| o.path_parameters()).collect();
    for name in names {
        let known = places.contains(&format!("\"{name}\"")) || contract::rest_of_path(name).is_some();
        assert!(
            known,
            "say in tests/it/support/places.rs, or where the world is filled, what {name} is"
        );
    }
}

#[test]
fn probes_know_who_is_just_below_every_level() {
    let access = source("support/access");
    for operation in contract::operations() {
        let required = operation.access();
        let known = format!("\"{}\"", required.resource);
        assert!(
            access.contains(&known),
            "say in tests/it/support/access.rs who is just below on {}",
            required.resource
        );
    }
}
