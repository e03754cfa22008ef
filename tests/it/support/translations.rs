//! Translations of spaces, and their runs.

use bindery::areas::languages::translations::{RunTranslation, StartTranslationRuns};
use platform::jobs::{Kinds, Runner};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{
    client::Call,
    database::TestDatabase,
    engine::TranslationEngine,
    jobs::PATIENCE,
    texts::without_title,
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

/// A space with two pages and its translation, with an engine.
pub struct TranslatedSpace {
    pub world: World,
    pub engine: TranslationEngine,
    pub source: String,
    pub result: String,
    pub id: String,
    pub pages: [String; 2],
}

pub const FIRST: &str =
    "# Care\n\nOpen [the manual](https://tidewater.example/m) and press `stop`.\n\nMind **your** hands.\n";

pub const SECOND: &str = "Loosen four screws.\n\n```sh\nscrew --out\n```\n\nSee [care](/pages/CARE).\n";

impl TranslatedSpace {
    pub async fn new(database: TestDatabase, words: Option<&str>) -> Self {
        let engine = TranslationEngine::start().await;
        let world = World::with(database, |flags| {
            flags.translation_engine = Some("deepl".to_owned());
            flags.translation_url = Some(engine.url.clone());
            flags.translation_words_per_run = words.map(str::to_owned);
        })
        .await;
        Self::in_world(world, engine).await
    }

    pub async fn in_world(world: World, engine: TranslationEngine) -> Self {
        let create_space = world.create.client.call("createSpace").here(&world);
        let body = json!({ "title": "Book", "empty": true, "parent": world.collection });
        let source = create_space.json(body).expect(201).await["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let care = insert(&world, &source, "Care of it", FIRST).await;
        let fingers = insert(&world, &source, "Changing fingers", &SECOND.replace("CARE", &care)).await;
        let made = create(&world, &world.create, &source, "de").expect(201).await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        Self {
            result: text(&made["result"]["space"]),
            id: text(&made["id"]),
            pages: [care, fingers],
            world,
            engine,
            source,
        }
    }

    pub async fn read(&self) -> Value {
        let get = self.world.read.client.call("getTranslation").here(&self.world);
        get.path("translationId", &self.id).expect(200).await
    }

    /// Runs the translation again, and returns it.
    pub async fn run(&self) -> Value {
        let run = self.world.create.client.call("runTranslation").here(&self.world);
        run.path("translationId", &self.id).expect(204).await;
        assert_eq!(self.world.run_translations().await, 1);
        self.read().await
    }

    pub async fn first_run(&self) -> Value {
        assert_eq!(self.world.run_translations().await, 1);
        self.read().await
    }

    pub async fn page(&self, space: &str, page: usize) -> Value {
        let get = self.world.read.client.call("getPageById").space(space);
        get.path("pageId", &self.pages[page])
            .query("format", "markdown")
            .query("format.markdown.refs", "stable")
            .expect(200)
            .await
    }

    pub async fn text(&self, space: &str, page: usize) -> String {
        without_title(&self.page(space, page).await)
    }

    /// Corrects a sentence of the result by hand.
    pub async fn correct(&self) {
        let text = self.text(&self.result, 0).await;
        let corrected = text.replace("MIND **YOUR** HANDS.", "Hands off!");
        self.write(&self.result, 0, &corrected).await;
    }

    pub async fn write(&self, space: &str, page: usize, markdown: &str) {
        let changes =
            json!([{ "operation": "update_page", "page": self.pages[page], "document": { "markdown": markdown } }]);
        self.change(space, changes).await;
    }

    pub async fn change(&self, space: &str, changes: Value) -> Value {
        let update = self.world.create.client.call("updateSpaceContent").space(space);
        update.json(json!({ "changes": changes })).expect(200).await
    }

    pub async fn requests(&self) -> Vec<Value> {
        let list = self
            .world
            .read
            .client
            .call("listChangeRequestsForSpace")
            .space(&self.result);
        list.query("status", "open").expect(200).await["items"]
            .as_array()
            .unwrap()
            .clone()
    }
}

pub async fn insert(world: &World, space: &str, title: &str, markdown: &str) -> String {
    let page = json!([{ "operation": "insert_page", "title": title, "document": { "markdown": markdown } }]);
    let update = world.create.client.call("updateSpaceContent").space(space);
    let made = update.json(json!({ "changes": page })).expect(200).await;
    made["changes"][0]["page"]["id"].as_str().unwrap().to_owned()
}
