//! Bodies of which each item is read for itself: what is wrong with one is repaired, or the item is left out.

use std::collections::BTreeSet;

use jsonschema::{ValidationError, error::ValidationErrorKind as Rule};
use serde_json::Value;

use super::{
    MAX_DETAILS,
    report::{dotted, has_long_name, has_nul, unknown_names},
    spec::Spec,
};

/// A body without what is wrong with it.
pub struct Lenient {
    pub bytes: Vec<u8>,
    /// The number of items that were left out.
    pub skipped: usize,
    /// The members that were left out because the contract does not know them, each with the names around it.
    pub unknown: Vec<String>,
}

enum Repair {
    Cut(usize),
    Remove(Vec<String>),
    /// An empty text that has no form counts as none.
    Clear,
    Skip,
}

/// Repairs the items of a refused body, which are the member `list`. `None`: something else is wrong, such as a member that
/// is there twice, or no item is left.
pub fn repaired(spec: &Spec, list: &str, bytes: &[u8]) -> Option<Lenient> {
    let mut body: Value = serde_json::from_slice(bytes).ok()?;
    if has_long_name(&body) {
        return None;
    }
    let items = body.get(list)?.as_array()?.iter().enumerate();
    let mut skipped: BTreeSet<usize> = items.filter(|(_, item)| has_nul(item)).map(|(at, _)| at).collect();
    let (mut unknown, mut has_repairs) = (Vec::new(), !skipped.is_empty());
    // Violations that are left after the repairs cannot be repaired.
    for may_repair in [true, false] {
        for (pointer, repair) in repairs(spec, &body)? {
            let index = index(&pointer, list)?;
            has_repairs = true;
            let is_repaired = may_repair && apply(&mut body, &pointer, repair, &mut unknown);
            if !is_repaired {
                skipped.insert(index);
            }
        }
    }
    let items = body.get_mut(list)?.as_array_mut()?;
    let mut at = 0..items.len();
    items.retain(|_| at.next().is_some_and(|at| !skipped.contains(&at)));
    if items.is_empty() || !has_repairs {
        return None;
    }
    Some(Lenient {
        bytes: serde_json::to_vec(&body).ok()?,
        skipped: skipped.len(),
        unknown,
    })
}

/// The repair of each violation, by its place.
fn repairs(spec: &Spec, body: &Value) -> Option<Vec<(String, Repair)>> {
    let errors = spec.body()?.iter_errors(body);
    let repairs = errors.map(|error| (error.instance_path().as_str().to_owned(), repair(body, &error)));
    Some(repairs.collect())
}

fn repair(body: &Value, error: &ValidationError<'_>) -> Repair {
    if let Some(names) = unknown_names(body, error) {
        return Repair::Remove(names);
    }
    match error.kind() {
        Rule::MaxLength { limit } | Rule::MaxProperties { limit } | Rule::MaxItems { limit } => {
            Repair::Cut(usize::try_from(*limit).unwrap_or(usize::MAX))
        }
        Rule::Format { .. } if error.instance().as_str() == Some("") => Repair::Clear,
        _ => Repair::Skip,
    }
}

/// The item that a place is in. `None`: it is in none.
fn index(pointer: &str, list: &str) -> Option<usize> {
    let within = pointer.strip_prefix('/')?.strip_prefix(list)?.strip_prefix('/')?;
    within.split('/').next()?.parse().ok()
}

/// Returns whether the repair was possible.
fn apply(body: &mut Value, pointer: &str, repair: Repair, unknown: &mut Vec<String>) -> bool {
    let Some(value) = body.pointer_mut(pointer) else {
        return false;
    };
    match (repair, value) {
        (Repair::Cut(limit), Value::String(text)) => {
            if let Some((end, _)) = text.char_indices().nth(limit) {
                text.truncate(end);
            }
        }
        (Repair::Cut(limit), Value::Array(items)) => items.truncate(limit),
        (Repair::Cut(limit), Value::Object(members)) => {
            let mut kept = 0..limit;
            members.retain(|_, _| kept.next().is_some());
        }
        (Repair::Remove(names), Value::Object(members)) => {
            for name in names {
                if members.remove(&name).is_some() && unknown.len() < MAX_DETAILS {
                    unknown.push(dotted(pointer, &name));
                }
            }
        }
        (Repair::Clear, value) => *value = Value::Null,
        _ => return false,
    }
    true
}
