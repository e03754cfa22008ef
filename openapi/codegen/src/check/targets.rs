//! The members of bodies that name the target of an access check.

use crate::{
    emit::body_members,
    finding::Findings,
    model::{Api, Operation, Shape},
};

pub fn check(api: &Api, findings: &mut Findings) {
    for operation in api.areas.iter().flat_map(|area| &area.operations) {
        for member in &operation.access.body_members {
            if !names_one(api, operation, member) {
                findings.add(
                    &operation.place,
                    format!(
                        "{}: access needs the member `{member}` of the body as an id or a text without `null`",
                        operation.id
                    ),
                    "Add the member to the body, with `x-id` if it is an id, or declare access on another resource.",
                );
            }
        }
    }
}

fn names_one(api: &Api, operation: &Operation, member: &str) -> bool {
    let Some(body) = &operation.body else {
        return false;
    };
    let mut found = body_members::find(api, body, member).peekable();
    found.peek().is_some() && found.all(|(_, field)| matches!(field.shape, Shape::String(_)))
}
