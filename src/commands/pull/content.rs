//! The present content of spaces: one revision of each space whose content has changed at the source.

use std::{collections::BTreeMap, time::Duration};

use content::pages::{File, ReusableContent};
use entity::{
    ids::{FileId, ReusableContentId},
    organizations::members::MemberRole,
};
use futures_util::{StreamExt, stream};
use openapi::error::ApiError;
use platform::outbound::{FetchError, FetchLimits, OnBehalf, Oversize};
use reqwest::Url;
use serde_json::Value;
use tokio::time::sleep;

use super::{
    copies::{digest, is_usable, key},
    pages::{At, OPENAPI, Texts, TreePage, tree},
    puller::{Puller, id, text},
    report::Became,
};
use crate::{
    access::node_levels::Member,
    areas::exchange::{
        import::{MAX_FILE, Progress, find_space},
        pulled::{Present, PulledContent, PulledText, own_id, store_file},
    },
};

/// Requests to the source at a time.
const CONCURRENCY: usize = 4;
/// Attempts to fetch a file from another server than the source, and the first pause between two.
const ATTEMPTS: u32 = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest value of a variable in characters, as in the contract.
const MAX_VARIABLE: usize = 256;
/// Hours for which a file is kept that no space has yet.
const FRESH_HOURS: i64 = 20;

impl Puller<'_> {
    pub async fn contents(&mut self, spaces: &[(Value, String)]) -> anyhow::Result<()> {
        for (space, own) in spaces {
            let (there, revision) = (id(space), text(space, "revision"));
            let name = key("content", there);
            self.copies.see(&name);
            let is_same = |state: &str| state == revision && !revision.is_empty();
            if self.copies.find(&name).is_some_and(|known| is_same(&known.state)) {
                self.report.count("content", Became::Unchanged);
                continue;
            }
            let path = format!("spaces/{there}/revisions/{revision}?computed=false");
            let mut read = self.source.get(&path).await?;
            if read.is_err() {
                read = self
                    .source
                    .get(&format!("spaces/{there}/content?computed=false"))
                    .await?;
            }
            if read
                .as_ref()
                .is_ok_and(|revision| has_foreign_pages(revision.get("pages")))
            {
                // What others compute stays as it is now: this server does not have its source.
                let path = format!("spaces/{there}/revisions/{revision}?computed=true");
                read = self.source.get(&path).await?.or(read);
            }
            match read {
                Ok(revision) => self.content(space, own, &revision).await?,
                Err(refused) => self.report.not_copied("content", text(space, "title"), refused),
            }
        }
        Ok(())
    }

    async fn content(&mut self, space: &Value, own: &str, revision: &Value) -> anyhow::Result<()> {
        let title = text(space, "title");
        let pages = tree(revision.get("pages"), &format!("space {title}"), &mut self.report);
        if self.dry_run {
            let files = revision.get("files").and_then(Value::as_array).map_or(0, Vec::len);
            let became = match self.copies.own("content", id(space)) {
                Some(_) => Became::Changed,
                None => Became::New,
            };
            self.report.count_many("page", became, pages.len());
            self.report.count_many("file", became, files);
            self.report.count("content", became);
            return Ok(());
        }
        let node = match find_space(&self.app.exchange, own).await {
            Ok(node) => node,
            Err(gone) => {
                self.report.not_copied("content", title, format!("{gone:#}"));
                return Ok(());
            }
        };
        let present = Present::of(&self.app.exchange, node.id).await?;
        let at = At {
            there: id(space).to_owned(),
            title: title.to_owned(),
            revision: id(revision).to_owned(),
            node,
        };
        let (mut kept, losses) = (Vec::new(), self.report.losses);
        let mut pulled = PulledContent {
            files: self.files(&at, revision, &present).await?,
            variables: self.variables(&at, revision),
            ..PulledContent::default()
        };
        pulled.reusable_contents = self.reusable_contents(&at, revision, &present, &mut kept).await?;
        pulled.pages = self.pages(&at, &pages, &present, &mut kept).await?;
        let author = Member::new(self.organization, self.admin, Some(MemberRole::Admin));
        let is_new = self.copies.find(&key("content", &at.there)).is_none();
        let (pages, files) = pulled.removes(&present);
        match pulled.write(&self.app.exchange, &at.node, author, present).await {
            Ok(written) => {
                let became = match (is_new, written.is_some()) {
                    (_, false) => Became::Unchanged,
                    (true, true) => Became::New,
                    (false, true) => Became::Changed,
                };
                self.report.count("content", became);
                if !is_new && pages + files > 0 {
                    self.report.note(format!(
                        "space {title}: {pages} pages and {files} files are not at the source, and are removed here; earlier revisions have them"
                    ));
                }
            }
            // Such as a space that was locked here.
            Err(error)
                if error
                    .downcast_ref::<ApiError>()
                    .is_some_and(|it| it.status().is_client_error()) =>
            {
                self.report.not_copied("content", title, format!("{error:#}"));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        // What was lost is tried again by the next pull.
        let state = if self.report.losses > losses {
            String::new()
        } else {
            at.revision
        };
        kept.push((key("content", &at.there), at.node.id.to_string(), state));
        self.copies.put_all(kept).await
    }

    fn variables(&mut self, at: &At, revision: &Value) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        let all = revision.get("variables").and_then(Value::as_object);
        for (name, value) in all.into_iter().flatten() {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            if value.chars().count() > MAX_VARIABLE {
                let name = format!("{} of space {}", name, at.title);
                self.report.not_copied("variable", &name, "its value is too long");
                continue;
            }
            found.insert(name.clone(), value);
        }
        found
    }

    /// Fetches the files that are not here yet, one after the other, for they may be large.
    async fn files(&mut self, at: &At, revision: &Value, present: &Present) -> anyhow::Result<Vec<File>> {
        let all = revision
            .get("files")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        self.start("Files", all.len());
        let hour = self.app.kernel.clock.now().as_millis() / 3_600_000;
        let mut files = Vec::new();
        for file in all.iter().filter(|file| is_usable(id(file))) {
            self.progress.step();
            let own: FileId = own_id(at.node.id, "file", id(file));
            let name = key("file", &format!("{}/{}", at.there, id(file)));
            let state = digest(&serde_json::json!([
                file.get("name"),
                file.get("size"),
                file.get("contentType")
            ]));
            if let Some(known) = self.copies.find(&name)
                && let Some((known_state, stored_at)) = known.state.split_once(' ')
                && known_state == state
                && let Ok(stored) = serde_json::from_str::<File>(&known.own)
                && (present.files.get(&own) == Some(&stored)
                    || stored_at.parse::<i64>().is_ok_and(|at| hour - at < FRESH_HOURS))
            {
                self.report.count("file", Became::Unchanged);
                files.push(stored);
                continue;
            }
            let shown = format!("{} of space {}", text(file, "name"), at.title);
            match self.fetch(text(file, "downloadURL")).await? {
                Ok(bytes) => {
                    let stored = store_file(&self.app.exchange, own, text(file, "name"), bytes).await?;
                    let became = if present.files.contains_key(&own) {
                        Became::Changed
                    } else {
                        Became::New
                    };
                    self.copies
                        .put(name, serde_json::to_string(&stored)?, format!("{state} {hour}"))
                        .await?;
                    self.report.count("file", became);
                    files.push(stored);
                }
                Err(why) => self.report.lost("file", &shown, why),
            }
        }
        Ok(files)
    }

    /// Fetches a file. Other servers than the source are reached only as any address that somebody names.
    pub async fn fetch(&self, address: &str) -> anyhow::Result<Result<Vec<u8>, String>> {
        let limit = usize::try_from(MAX_FILE)?;
        let Ok(url) = Url::parse(address) else {
            return Ok(Err("the source names no address of it".to_owned()));
        };
        if self.source.is_own(&url) {
            match self.source.download(url, limit).await? {
                Ok(bytes) => return Ok(Ok(bytes)),
                Err(refused) if refused.status.is_redirection() => {}
                Err(refused) => return Ok(Err(refused.to_string())),
            }
        }
        let limits = FetchLimits {
            bytes: limit,
            oversize: Oversize::Refuse,
            time: Duration::from_secs(120),
            on_behalf: OnBehalf {
                tenant: *self.organization.as_uuid(),
                user: None,
            },
        };
        let mut pause = FIRST_PAUSE;
        for _ in 1..ATTEMPTS {
            match self.app.kernel.outbound.get(address, limits).await {
                Ok(fetched) => return Ok(Ok(fetched.bytes.to_vec())),
                Err(FetchError::Unreachable | FetchError::TooSlow | FetchError::Busy) => sleep(pause).await,
                Err(FetchError::Status(status)) if status.is_server_error() || status.as_u16() == 429 => {
                    sleep(pause).await
                }
                Err(error) => return Ok(Err(error.to_string())),
            }
            pause *= 2;
        }
        let fetched = self.app.kernel.outbound.get(address, limits).await;
        Ok(fetched
            .map(|fetched| fetched.bytes.to_vec())
            .map_err(|error| error.to_string()))
    }

    async fn reusable_contents(
        &mut self,
        at: &At,
        revision: &Value,
        present: &Present,
        kept: &mut Vec<(String, String, String)>,
    ) -> anyhow::Result<Vec<(ReusableContent, PulledText)>> {
        let all = revision
            .get("reusableContents")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let mut found = Vec::new();
        for content in all.iter().filter(|content| is_usable(id(content))) {
            let own: ReusableContentId = own_id(at.node.id, "reusable-content", id(content));
            let before = present.reusable_contents.get(&own);
            let name = key("reusable-content", &format!("{}/{}", at.there, id(content)));
            let state = text(content, "document").to_owned();
            let is_same =
                before.is_some() && !state.is_empty() && self.copies.find(&name).is_some_and(|it| it.state == state);
            let text_of = match before.filter(|_| is_same) {
                Some(before) => Ok(PulledText::Kept(before.document)),
                None if state.is_empty() => Ok(PulledText::New(String::new())),
                None => self.texts(at).reusable_content(id(content), &state).await?,
            };
            let shown = format!("{} of space {}", text(content, "title"), at.title);
            let title = text(content, "title").chars().take(255).collect();
            match text_of {
                Ok(text_of) => {
                    let became = match (before.is_some(), is_same) {
                        (false, _) => Became::New,
                        (true, false) => Became::Changed,
                        (true, true) => Became::Unchanged,
                    };
                    self.report.count("reusable content", became);
                    if !is_same {
                        kept.push((name, own.to_string(), state));
                    }
                    let content = ReusableContent {
                        id: own,
                        title,
                        document: None,
                    };
                    found.push((content, text_of));
                }
                Err(why) => self.report.lost("reusable content", &shown, why),
            }
        }
        Ok(found)
    }

    async fn pages(
        &mut self,
        at: &At,
        pages: &[TreePage<'_>],
        present: &Present,
        kept: &mut Vec<(String, String, String)>,
    ) -> anyhow::Result<Vec<(content::pages::Page, PulledText)>> {
        self.start("Pages", pages.len());
        let texts = self.texts(at);
        let wanted = pages.iter().map(|page| page.state());
        let known: Vec<bool> = pages
            .iter()
            .zip(wanted)
            .map(|(page, state)| {
                let name = page.key(&at.there);
                !state.is_empty()
                    && present.pages.contains_key(&page.own(at.node.id))
                    && self.copies.find(&name).is_some_and(|it| it.state == state)
            })
            .collect();
        let fetch = pages.iter().zip(&known).map(|(page, is_known)| {
            let texts = &texts;
            async move {
                match *is_known || !page.has_text() {
                    true => Ok(None),
                    false => texts.page(page).await.map(Some),
                }
            }
        });
        let fetch: Vec<_> = fetch.collect();
        let mut fetched = stream::iter(fetch).buffered(CONCURRENCY);
        let mut read = Vec::with_capacity(pages.len());
        while let Some(text) = fetched.next().await {
            self.progress.step();
            read.push(text?);
        }
        drop(fetched);
        let mut built = Vec::with_capacity(pages.len());
        let mut made = Vec::with_capacity(pages.len());
        for (page, text) in pages.iter().zip(read) {
            made.push(texts.build(page, text, present).await);
        }
        for (page, (new, text_of, notes)) in pages.iter().zip(made) {
            let before = present.pages.get(&new.id);
            let is_kept = match &text_of {
                PulledText::Kept(_) => true,
                PulledText::New(text) => text.is_empty() && before.is_some_and(|before| before.document().is_none()),
            };
            let became = match before {
                None => Became::New,
                Some(before) if is_kept && page.is_same(before, &new) => Became::Unchanged,
                Some(_) => Became::Changed,
            };
            self.report.count("page", became);
            let is_whole = notes.iter().all(|note| !note.is_loss);
            self.report.losses += usize::from(!is_whole);
            for note in notes {
                self.report
                    .note(format!("page {} of space {}: {}", page.title(), at.title, note.text));
            }
            let state = page.state();
            if is_whole && !state.is_empty() && matches!(text_of, PulledText::New(_)) {
                kept.push((page.key(&at.there), new.id.to_string(), state));
            }
            built.push((new, text_of));
        }
        Ok(built)
    }

    fn texts<'t>(&'t self, at: &'t At) -> Texts<'t> {
        Texts {
            app: self.app,
            source: &self.source,
            references: super::refs::References {
                copies: &self.copies,
                space: Some(at.node.id),
            },
            at,
        }
    }
}

/// Whether a tree has placeholders for pages that are not those of an OpenAPI specification.
fn has_foreign_pages(pages: Option<&Value>) -> bool {
    let mut waiting: Vec<&Value> = pages.into_iter().collect();
    while let Some(pages) = waiting.pop() {
        for page in pages.as_array().into_iter().flatten() {
            let source = page.pointer("/computed/type").and_then(Value::as_str);
            if text(page, "type") == "computed" && source != Some(OPENAPI) {
                return true;
            }
            waiting.extend(page.get("pages"));
        }
    }
    false
}
