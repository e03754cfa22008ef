//! Random edits of a space and of a branch, in turn and at once: in the end both sides are equal, and no word is lost.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{
    database::{TestDatabase, on_each_database},
    git::{Repository, export, import, succeeded},
    import::tree,
    texts::write,
    world::World,
};

on_each_database![
    both_sides_are_equal_after_random_edits,
    a_push_before_a_crash_is_recognized_after_it
];

const PAGES: usize = 12;
const ROUNDS: usize = 14;

/// The same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

struct Both {
    world: World,
    repository: Repository,
    numbers: Numbers,
    words: BTreeSet<String>,
}

impl Both {
    async fn new(database: TestDatabase) -> Self {
        let mut files: Vec<(String, String)> = Vec::new();
        let mut summary = "# Table of contents\n\n".to_owned();
        for number in 0..PAGES {
            let path = if number % 3 == 0 {
                format!("part-{number}/README.md")
            } else {
                format!("part-{}/page-{number}.md", number / 3 * 3)
            };
            let indent = if number % 3 == 0 { "" } else { "  " };
            summary += &format!("{indent}* [Page {number}]({path})\n");
            let text = format!(
                "Page {number}\n=======\n\n*  one\n*  two\n\nFirst   line of {number}.\n\nSecond line.\n\n[up](../part-0/README.md)\n"
            );
            files.push((path, text));
        }
        files.push(("SUMMARY.md".to_owned(), summary));
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .collect();
        let (world, repository) = (World::new(database).await, Repository::of(&files));
        succeeded(&import(&world, world.space, &repository, json!({ "force": true })).await);
        let (numbers, words) = (Numbers(7), BTreeSet::new());
        Self {
            world,
            repository,
            numbers,
            words,
        }
    }

    fn word(&mut self) -> String {
        let word = format!("word{}x", self.words.len());
        self.words.insert(word.clone());
        word
    }

    async fn pages(&self) -> Vec<Value> {
        let mut found = Vec::new();
        let mut next = vec![tree(&self.world, self.world.space).await["pages"].clone()];
        while let Some(pages) = next.pop() {
            for page in pages.as_array().unwrap() {
                next.extend(page.get("pages").cloned());
                found.push(page.clone());
            }
        }
        found
    }

    async fn ids(&self) -> BTreeSet<String> {
        self.pages()
            .await
            .iter()
            .map(|page| page["id"].as_str().unwrap().to_owned())
            .collect()
    }

    async fn text(&self, page: &Value) -> String {
        let call = self.world.admin.client.call("getPageById").space(self.world.space);
        let call = call.path("pageId", page["id"].as_str().unwrap());
        call.query("format", "markdown").expect(200).await["markdown"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    async fn edit_space(&mut self) {
        let pages = self.pages().await;
        let page = &pages[self.numbers.below(pages.len())];
        let word = self.word();
        let change = match self.numbers.below(8) {
            0 => {
                json!({ "operation": "insert_page", "title": format!("New {word}"), "document": { "markdown": "Text." } })
            }
            1 => json!({ "operation": "update_page", "page": page["id"], "slug": format!("slug-{word}") }),
            2 => json!({ "operation": "update_page", "page": page["id"], "title": format!("Title {word}") }),
            _ => {
                let text = changed(&self.text(page).await, &word, self.numbers.below(2) == 0);
                json!({ "operation": "update_page", "page": page["id"], "document": { "markdown": text } })
            }
        };
        write(&self.world, self.world.space, vec![change]).await;
    }

    fn edit_branch(&mut self) {
        let files = self.repository.git(&["ls-files", "*.md"]);
        let files: Vec<&str> = files.lines().filter(|path| *path != "SUMMARY.md").collect();
        let path = files[self.numbers.below(files.len())];
        let word = self.word();
        let summary = self.repository.read("SUMMARY.md");
        match self.numbers.below(8) {
            0 => {
                let new = format!("added-{word}.md");
                self.repository.write(&new, &format!("# Added {word}\n"));
                self.repository.write(
                    "SUMMARY.md",
                    &format!("{}\n* [Added {word}]({new})\n", summary.trim_end()),
                );
            }
            1 if !path.ends_with("README.md") && summary.contains(&format!("({path})")) => {
                let (directory, _) = path.rsplit_once('/').unwrap_or((".", path));
                let new = format!("{directory}/moved-{word}.md")
                    .trim_start_matches("./")
                    .to_owned();
                self.repository.git(&["mv", path, &new]);
                self.repository.write(
                    "SUMMARY.md",
                    &summary.replace(&format!("({path})"), &format!("({new})")),
                );
            }
            _ => {
                let text = changed(&self.repository.read(path), &word, self.numbers.below(2) == 0);
                self.repository.write(path, &text);
            }
        }
        self.repository.commit(&format!("Write {word}"));
    }

    async fn sync(&mut self) {
        let (world, repository) = (&self.world, &self.repository);
        let done = match self.numbers.below(2) {
            0 => import(world, world.space, repository, json!({})).await,
            _ => export(world, world.space, repository, json!({})).await,
        };
        if done["state"] == "failure" {
            assert!(done["error"].as_str().unwrap().contains("hange request"), "{done}");
        }
        self.solve().await;
    }

    /// Keeps both sides of each conflict where texts allow it, else that of the branch.
    async fn solve(&self) {
        let call = |operation: &str| self.world.admin.client.call(operation).space(self.world.space);
        let open = call("listChangeRequestsForSpace").expect(200).await;
        let ours = |request: &&Value| request["subject"].as_str().unwrap().starts_with("Git: ");
        for request in open["items"].as_array().unwrap().iter().filter(ours) {
            let of = |operation: &str| call(operation).path("changeRequestId", request["id"].as_str().unwrap());
            of("updateChangeRequest").json(json!({})).expect(200).await;
            let conflicts = of("listChangeRequestConflicts").expect(200).await;
            for conflict in conflicts["items"].as_array().unwrap() {
                let resolve = of("resolveChangeRequestConflict").path("conflictId", conflict["id"].as_str().unwrap());
                resolve.json(json!({ "resolution": "ours" })).expect(200).await;
            }
            assert_eq!(
                of("mergeChangeRequest").json(json!({})).expect(200).await["result"],
                "merge"
            );
        }
    }

    /// Synchronizes until nothing changes any more, and looks for every word on both sides.
    async fn require_equal(&self, before: &BTreeSet<String>) {
        for _ in 0..2 {
            succeeded(&export(&self.world, self.world.space, &self.repository, json!({})).await);
            self.solve().await;
        }
        let tip = self.repository.tip();
        succeeded(&import(&self.world, self.world.space, &self.repository, json!({})).await);
        succeeded(&export(&self.world, self.world.space, &self.repository, json!({})).await);
        assert_eq!(self.repository.tip(), tip);
        assert!(self.ids().await.is_superset(before), "pages keep their ids");
        self.repository.pull();
        let mut here = String::new();
        for page in self.pages().await {
            here += &(self.text(&page).await + &page["path"].to_string());
        }
        let there =
            self.repository.git(&["grep", "--no-index", "-h", "word", "--", "."]) + &self.repository.git(&["ls-files"]);
        for word in &self.words {
            assert!(here.contains(word), "{word} is not in the space");
            assert!(there.contains(word), "{word} is not in the branch");
        }
    }
}

/// Adds a word to the first line of words, or a paragraph before it.
fn changed(text: &str, word: &str, is_inserted: bool) -> String {
    let at = text
        .lines()
        .position(|line| line.starts_with("Second") || line.starts_with("Text") || line.starts_with("First"));
    let Some(at) = at else {
        return format!("{}\n\n{word} at the end.\n", text.trim_end());
    };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match is_inserted {
        true => lines
            .splice(at..at, [format!("{word} before."), String::new()])
            .for_each(drop),
        false => lines[at] += &format!(" {word}"),
    }
    lines.join("\n") + "\n"
}

async fn both_sides_are_equal_after_random_edits(database: TestDatabase) {
    let mut both = Both::new(database).await;
    let before = both.ids().await;
    for _ in 0..ROUNDS {
        let side = both.numbers.below(3);
        if side != 0 {
            both.edit_space().await;
        }
        if side != 1 {
            both.repository.pull();
            both.edit_branch();
        }
        both.sync().await;
    }
    both.require_equal(&before).await;
}

async fn a_push_before_a_crash_is_recognized_after_it(database: TestDatabase) {
    use entity::exchange::{git_entries, git_syncs};
    use sea_orm::{ActiveModelTrait, EntityTrait, IntoActiveModel};

    let mut both = Both::new(database).await;
    let db = &both.world.app().kernel.db.clone();
    let sync = git_syncs::Entity::find().one(db.read()).await.unwrap().unwrap();
    let entries = git_entries::Entity::find().all(db.read()).await.unwrap();
    both.edit_space().await;
    both.edit_space().await;
    succeeded(&export(&both.world, both.world.space, &both.repository, json!({})).await);
    let (tip, content) = (both.repository.tip(), both.ids().await);
    // The server was killed after the push.
    let former = move |tx: platform::db::Tx| async move {
        git_syncs::Entity::update(sync.into_active_model().reset_all())
            .exec(&tx)
            .await?;
        git_entries::Entity::delete_many().exec(&tx).await?;
        let entries = entries.into_iter().map(|entry| entry.into_active_model().reset_all());
        git_entries::Entity::insert_many(entries)
            .exec_without_returning(&tx)
            .await?;
        Ok::<_, sea_orm::DbErr>(())
    };
    db.write(former).await.unwrap();
    succeeded(&import(&both.world, both.world.space, &both.repository, json!({})).await);
    succeeded(&export(&both.world, both.world.space, &both.repository, json!({})).await);
    assert_eq!(both.repository.tip(), tip);
    assert_eq!(both.ids().await, content);
    assert!(
        !former_is_hidden(&both).await,
        "a commit with the message of an export is read"
    );
    let revisions = both
        .world
        .admin
        .client
        .call("listRevisions")
        .space(both.world.space)
        .expect(200)
        .await;
    assert_eq!(revisions["items"][0]["type"], "edits");
}

/// Somebody pushes a commit whose message is that of an export. Returns whether its change is overlooked.
async fn former_is_hidden(both: &Both) -> bool {
    let revision = both.world.app().exchange.head(both.world.space).await.unwrap().id;
    both.repository.pull();
    both.repository.write("part-0/README.md", "# Page 0\n\nForged.\n");
    both.repository
        .commit(&format!("Write the pages\n\nRevision: {revision}"));
    succeeded(&import(&both.world, both.world.space, &both.repository, json!({})).await);
    let pages = both.pages().await;
    let mut texts = String::new();
    for page in &pages {
        texts += &both.text(page).await;
    }
    !texts.contains("Forged.")
}

mod only_postgres {
    use chrono::TimeDelta;
    use entity::exchange::git_operations::{Column, Entity, GitOperationState};
    use platform::db::Backend;
    use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
    use serde_json::json;
    use tokio::join;

    use super::{Both, ROUNDS};
    use crate::support::{database::TestDatabase, git::run_operations_on};

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn two_nodes_synchronize_one_space() {
        let mut both = Both::new(TestDatabase::new(Backend::Postgres)).await;
        let second = both.world.service.second_node().await;
        let before = both.ids().await;
        for _ in 0..ROUNDS / 2 {
            both.edit_space().await;
            both.repository.pull();
            both.edit_branch();
            let world = &both.world;
            for operation in ["importGitRepository", "exportToGitRepository", "importGitRepository"] {
                let mut body = json!({ "url": both.repository.url(), "ref": "refs/heads/main" });
                if operation == "exportToGitRepository" {
                    body["commitMessage"] = json!("Write the pages");
                }
                let call = world.admin.client.call(operation).space(world.space);
                call.json(body).expect(204).await;
            }
            let waiting = Entity::find().filter(Column::State.eq(GitOperationState::Queued));
            while waiting.clone().count(world.app().kernel.db.read()).await.unwrap() > 0 {
                join!(run_operations_on(world.app()), run_operations_on(&second.app));
                // A job that finds the space taken looks again after a second.
                world.clock().advance(TimeDelta::seconds(2));
                second.advance(TimeDelta::seconds(2));
            }
            both.solve().await;
        }
        both.require_equal(&before).await;
    }
}
