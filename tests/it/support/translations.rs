//! Translations of spaces, and their runs.

use bindery::areas::languages::translations::{RunTranslation, StartTranslationRuns};
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    client::Call,
    jobs::PATIENCE,
    world::{Person, World},
};

/// A translation of an English space.
pub fn create<'a>(world: &World, person: &'a Person, source: &str, language: &str) -> Call<'a> {
    let call = person.client.call("createTranslation").here(world);
    call.json(json!({ "source": { "space": source, "language": "en" }, "language": language }))
}

impl World {
    /// A translation of a new space.
    pub async fn add_translation(&self) -> Value {
        let call = self.admin.client.call("createSpace").here(self);
        let body = json!({ "title": "Source", "parent": self.collection });
        let source = call.json(body).expect(201).await;
        create(self, &self.admin, source["id"].as_str().unwrap(), "de")
            .expect(201)
            .await
    }

    pub fn translation_runner(&self) -> Runner {
        let app = self.app();
        Runner::new(
            app.kernel.jobs.clone(),
            Kinds::default().with(RunTranslation::new(std::sync::Arc::clone(&app.languages))),
        )
    }

    /// Starts the runs that are due by themselves.
    pub async fn start_translation_runs(&self) {
        let app = self.app();
        let kinds = Kinds::default().with_periodic(StartTranslationRuns(std::sync::Arc::clone(&app.languages)));
        let mut runner = Runner::new(app.kernel.jobs.clone(), kinds);
        timeout(PATIENCE, runner.run_due()).await.unwrap().unwrap();
    }

    /// Runs all translations that wait. Returns how many runs succeeded.
    pub async fn run_translations(&self) -> usize {
        timeout(PATIENCE, self.translation_runner().run_due())
            .await
            .unwrap()
            .unwrap()
    }
}
