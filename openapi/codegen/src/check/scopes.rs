//! Validation of `x-scope`: the value is a scope of integrations, or says that tokens need none.

use crate::{
    finding::Findings,
    implied::SCOPE,
    model::{ANY_SCOPE, Api, Kind},
};

/// The schema that lists the scopes.
const SCOPES: &str = "IntegrationScope";

pub fn check(api: &Api, findings: &mut Findings) {
    let known: &[String] = match api.types.get(SCOPES).map(|scopes| &scopes.kind) {
        Some(Kind::Enum(values)) => values,
        _ => &[],
    };
    for operation in api.areas.iter().flat_map(|area| &area.operations) {
        let Some(scope) = &operation.scope else {
            continue;
        };
        if scope != ANY_SCOPE && !known.contains(scope) {
            findings.add(
                &operation.place,
                format!(
                    "{}: `{SCOPE}` names `{scope}`, which is no value of `{SCOPES}`",
                    operation.id
                ),
                format!("Use a scope of integrations, or `{ANY_SCOPE}` if their tokens need none."),
            );
        }
    }
}
