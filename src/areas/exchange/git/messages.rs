//! The messages of commits that the server makes by itself, as those of the public product are.

use entity::authoring::change_requests;

const TEMPLATE: &str = "GITBOOK-{change_request_number}: {change_request_subject}";
const NO_CHANGE_REQUEST: &str = "GitBook: No commit message";
const NO_SUBJECT: &str = "change request with no subject merged in GitBook";
const NO_SUBJECT_IN_TEMPLATE: &str = "No subject";

/// The message for a revision, with the change request that was merged.
pub fn of(template: Option<&str>, merged: Option<&change_requests::Model>) -> String {
    let Some(merged) = merged else {
        return NO_CHANGE_REQUEST.to_owned();
    };
    let subject = match (merged.subject.trim(), template) {
        ("", None) => NO_SUBJECT,
        ("", Some(_)) => NO_SUBJECT_IN_TEMPLATE,
        (subject, _) => subject,
    };
    let message = template.unwrap_or(TEMPLATE);
    // The subject last: what it says is no part of the template.
    message
        .replace("{change_request_number}", &merged.number.to_string())
        .replace("{change_request_subject}", subject)
}
