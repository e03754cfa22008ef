//! Parts of the server on their own, in more cases than requests can show.

mod built_in_templates;
mod client_addresses;
mod commit_statuses;
mod compression;
mod cookies;
mod documents;
mod edge;
mod embed_cache;
mod image_sizes;
mod import_ids;
mod import_names;
mod included_words;
mod mailbox_providers;
mod ranges;
mod rate_limits;
mod refused_work;
mod request_ids;
mod return_paths;
mod saml_requests;
mod saml_work;
mod shown_types;
mod slugs;
mod static_pages;
mod stored_rows;
mod texts;
mod timestamps;
mod upload_names;
mod upload_types;
mod wildcards;

/// The libraries whose tests are here have none of their own: nobody would run them.
#[test]
fn tests_are_where_they_are_run() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut open = ["src", "migration/src", "entity/src"]
        .map(|folder| root.join(folder))
        .to_vec();
    let mut files = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                !text.contains("#[cfg(test)]"),
                "{} has tests that nobody runs",
                path.display()
            );
            files += 1;
        }
    }
    assert!(files > 300, "{files}");
}
