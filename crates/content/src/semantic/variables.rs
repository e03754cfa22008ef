//! Semantic changes of the variables of a space.

use std::collections::BTreeMap;

use openapi::models::{RevisionSemanticChange, VariableChange, VariableValue, VariablesEdited};

use crate::pages::{Change, Variable};

/// Returns the event of all changed variables. `None`: no variable changed.
pub(super) fn event(changes: &BTreeMap<String, Change<Variable>>) -> Option<RevisionSemanticChange> {
    let value = |variable: &Option<Variable>| {
        let value = variable.as_ref()?.value.clone();
        Some(VariableValue::String(value))
    };
    let variables = changes.iter().map(|(name, change)| {
        let change = VariableChange {
            before: value(&change.before),
            after: value(&change.after),
        };
        (name.clone(), change)
    });
    let edited = VariablesEdited {
        r#type: Default::default(),
        variables: variables.collect(),
    };
    (!changes.is_empty()).then_some(RevisionSemanticChange::VariablesEdited(edited))
}
