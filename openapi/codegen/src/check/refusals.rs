//! Validation of `x-refusals`: the rules exist, and the operation reads what the pointers name.

use crate::{
    errors::{Catalog, REFUSALS},
    finding::{Findings, Place},
    model::{Api, Operation},
    publish::Source,
};

pub fn check(api: &Api, findings: &mut Findings) {
    let source = Source::of(&api.bundle);
    for operation in api.areas.iter().flat_map(|area| &area.operations) {
        let paths = source.get("/paths").and_then(|paths| paths.get(&operation.path));
        let written = paths.and_then(|item| item.get(&operation.method)?.get(REFUSALS)?.as_object());
        for (rule, pointers) in written.into_iter().flatten() {
            check_rule(&api.errors, &operation.place, rule, findings);
            let pointers = pointers
                .as_array()
                .map_or(std::slice::from_ref(pointers), Vec::as_slice);
            for pointer in pointers.iter().map(|pointer| pointer.as_str().unwrap_or_default()) {
                check_pointer(source, operation, pointer, findings);
            }
        }
    }
}

fn check_rule(catalog: &Catalog, place: &Place, rule: &str, findings: &mut Findings) {
    if catalog.rules_of(rule).next().is_none() {
        findings.add(
            place,
            format!("{REFUSALS} names `{rule}`, which is neither a rule nor a group of rules"),
            "Correct the name, or add the rule to components/errors.yaml.",
        );
    }
}

fn check_pointer(source: Source<'_>, operation: &Operation, pointer: &str, findings: &mut Findings) {
    if !source.reads(&operation.path, &operation.method, pointer) {
        findings.add(
            &operation.place,
            format!("{}: the operation does not read `{pointer}`", operation.id),
            "Correct the pointer: it starts with `/path`, `/query`, `/header` or `/body`, and every item of a list is `0`.",
        );
    }
}
