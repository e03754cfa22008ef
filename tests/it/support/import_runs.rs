//! Imports that callers ask for.

use std::sync::Arc;

use bindery::areas::{content::search_jobs::IndexPages, exchange::import_runs::RunImport};
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{jobs::PATIENCE, world::World};

impl World {
    /// Asks for an import into a space, with further members.
    pub async fn start_import(&self, space: &Value, source: Value, more: Value) -> Value {
        let mut body = json!({ "source": source, "target": { "space": space } });
        for (name, value) in more.as_object().unwrap() {
            body[name] = value.clone();
        }
        let call = self.admin.client.call("startImportRun").here(self);
        call.json(body).expect(201).await
    }

    pub async fn run_imports(&self) {
        let kinds = Kinds::default()
            .with(RunImport(Arc::clone(&self.app().exchange)))
            .with(IndexPages(Arc::clone(&self.app().contents)));
        let mut runner = Runner::new(self.app().kernel.jobs.clone(), kinds);
        timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap();
    }

    pub async fn import_run(&self, run: &Value) -> Value {
        let call = self.admin.client.call("getImportRun").here(self);
        call.path("importRunId", run["id"].as_str().unwrap()).expect(200).await
    }

    pub async fn cancel_import(&self, run: &Value) -> Value {
        let call = self.admin.client.call("cancelImportRun").here(self);
        call.path("importRunId", run["id"].as_str().unwrap()).expect(200).await
    }

    /// Imports a source, and returns the run at its end.
    pub async fn import(&self, space: &Value, source: Value) -> Value {
        let run = self.start_import(space, source, json!({})).await;
        self.run_imports().await;
        self.import_run(&run).await
    }

    /// The reason for which an import fails.
    pub async fn failed_import(&self, space: &Value, source: Value) -> String {
        let run = self.import(space, source).await;
        assert_eq!(run["status"], "failed", "{run}");
        run["reason"].as_str().unwrap().to_owned()
    }
}

/// What the problems of a run say.
pub fn problems_of(run: &Value) -> Vec<String> {
    let problems = run["problems"].as_array().unwrap().iter();
    problems
        .map(|problem| {
            format!(
                "{}: {}",
                problem["path"].as_str().unwrap(),
                problem["message"].as_str().unwrap()
            )
        })
        .collect()
}
