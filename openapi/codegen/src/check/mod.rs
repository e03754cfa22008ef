//! What is checked beyond the form: values against their schemas, and that requests are bounded.

mod bounds;
mod examples;

use crate::{document::Documents, finding::Findings, model::Api};

pub fn check(documents: &Documents, api: &Api, findings: &mut Findings) {
    examples::check(documents, &api.bundle, findings);
    bounds::check(api, findings);
}
