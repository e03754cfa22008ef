//! Computed pages in tests.

use bindery::{
    app::App,
    areas::content::computed::{IndexComputedPages, IndexSpecification},
};
use entity::ids::NodeId;
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};

use super::{texts::write, world::World};

/// A document with a tag, three operations, a webhook and a schema.
pub fn gripper() -> Value {
    let responses = json!({ "200": { "description": "Done." } });
    json!({
        "openapi": "3.1.0",
        "info": { "title": "Gripper", "version": "1", "description": "Moves *things*." },
        "tags": [{ "name": "motion", "description": "Moves the fingers." }],
        "paths": {
            "/grip": {
                "post": { "summary": "Close the fingers", "operationId": "closeFingers", "tags": ["motion"], "responses": responses },
                "get": { "summary": "Read the width", "operationId": "readWidth", "tags": ["motion"], "responses": responses },
            },
            "/home": { "put": { "operationId": "goHome", "responses": responses } },
        },
        "webhooks": { "dropped": { "post": { "summary": "Something fell", "responses": responses } } },
        "components": { "schemas": { "Force": { "type": "number" } } },
    })
}

/// Brings the search entries of computed pages up to date.
pub async fn index(app: &App) {
    for _ in 0..2 {
        let kinds = Kinds::default().with(IndexSpecification(std::sync::Arc::clone(&app.contents)));
        let kinds = kinds.with(IndexComputedPages(std::sync::Arc::clone(&app.contents)));
        Runner::new(app.kernel.jobs.clone(), kinds).run_due().await.unwrap();
    }
}

/// The source of computed pages.
pub fn source(spec: &str) -> Value {
    json!({ "type": "builtin:openapi", "dependencies": { "spec": { "ref": { "kind": "openapi", "spec": spec } } } })
}

/// A source that stays with a version of a specification, as `getOpenAPISpecBySlug` answers it.
pub fn pinned(spec: &Value) -> Value {
    let mut source = source(spec["slug"].as_str().unwrap());
    source["dependencies"]["spec"]["value"] = json!({
        "object": "openapi-spec", "id": spec["id"], "slug": spec["slug"], "lastVersion": spec["lastVersion"],
    });
    source
}

/// Adds a placeholder at the top level, and gives its id.
pub async fn add_computed(world: &World, space: NodeId, title: &str, spec: &str) -> String {
    let change = json!({ "operation": "insert_computed_page", "title": title, "ref": "new", "computed": source(spec) });
    write(world, space, vec![change]).await["new"].clone()
}

/// The paths of pages with those below them.
pub fn paths(pages: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    for page in pages.as_array().into_iter().flatten() {
        paths.extend(page["path"].as_str().map(str::to_owned));
        paths.extend(self::paths(&page["pages"]));
    }
    paths
}

impl World {
    /// Sets the document of a specification.
    pub async fn process_document(&self, slug: &str, document: &Value) -> Value {
        let text = document.to_string();
        self.process_source(slug, json!({ "text": text })).await
    }
}
