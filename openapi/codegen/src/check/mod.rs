//! Semantic checks: values against their schemas, limits of requests, `oneOf` choices against their mapping, the errors
//! of operations, explanations of values.

mod bounds;
mod examples;
mod ids;
mod names;
mod reader;
mod refusals;
mod scopes;
mod targets;
mod unions;
mod values;

use crate::{document::Documents, finding::Findings, model::Api};

pub fn check(documents: &Documents, api: &Api, findings: &mut Findings) {
    examples::check(documents, api, findings);
    bounds::check(api, findings);
    ids::check(api, findings);
    names::check(api, findings);
    reader::check(&api.bundle, findings);
    refusals::check(api, findings);
    scopes::check(api, findings);
    targets::check(api, findings);
    unions::check(api, findings);
    values::check(api, findings);
}
