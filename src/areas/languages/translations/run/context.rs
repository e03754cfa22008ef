//! What a run works with.

use std::sync::Arc;

use content::{
    objects::{Content, Missing},
    pages::{Change, Changes, Forest, Page, Pages, ReusableContent, Snapshot},
    revisions::Revision,
};
use entity::{
    ids::{JobId, NodeId},
    languages::translations::Model,
    library::nodes::{self, NodeKind},
};
use openapi::{error::ApiError, models::Document};
use platform::db::Reads;
use sea_orm::ActiveEnum;
use sha2::{Digest, Sha256};
use translation::{
    Glossary, MemoryKey, Segment, SpaceMove, Term, memory_key,
    translate::{Rejections, Task},
};

use super::rest::Rest;

use crate::areas::{
    authoring::editor::write,
    languages::{Languages, glossary::store as glossary_store},
    library::tree,
};

/// The most characters of instructions that engines get.
const MAX_INSTRUCTIONS: usize = 8_000;

pub struct RunContext<'a> {
    pub languages: &'a Languages,
    pub row: Model,
    pub job: JobId,
    pub result: nodes::Model,
    /// The present content of the source, and the one of the run before.
    pub source: Arc<Revision>,
    last: Arc<Revision>,
    /// What the run before wrote.
    pub written: Snapshot,
    pub spaces: SpaceMove,
    instructions: String,
    glossary: Glossary,
    rejections: Rejections,
    language_pair: (String, String),
    /// Everything besides the source that translations depend on.
    pub fingerprint: String,
}

/// The pages and shared contents that a run goes through.
pub struct Work {
    /// The changes of the source since the run before.
    pub structure: Changes,
    pub pages: Vec<Page>,
    pub reusable_contents: Vec<ReusableContent>,
}

impl<'a> RunContext<'a> {
    /// `None`: the source or the result does not exist any more.
    pub async fn load(languages: &'a Languages, row: Model, job: JobId) -> Result<Option<Self>, ApiError> {
        let db = languages.kernel.db.read();
        let find = async |id| tree::store::find(db, row.organization_id, NodeKind::Space, id).await;
        let (Some(source), Some(result)) = (find(row.source_space_id).await?, find(row.result_space_id).await?) else {
            return Ok(None);
        };
        let current = languages.contents.current_revision(source.id).await?;
        let language_pair = (row.source_language.to_value(), row.language.to_value());
        let mut terms: Vec<Term> = Vec::new();
        let entries = glossary_store::for_each(db, row.organization_id, |entry| {
            terms.extend(term(&entry.translations, &language_pair));
        });
        entries.await?;
        terms.sort();
        let instructions = markdown(&row)?;
        Ok(Some(Self {
            source: current.ok_or_else(|| ApiError::not_found("space"))?,
            last: write::load_revision(&languages.contents, source.id, row.source_revision_id).await?,
            written: serde_json::from_value(row.written.clone())?,
            spaces: SpaceMove {
                from: source.id.to_string(),
                to: result.id.to_string(),
            },
            fingerprint: fingerprint(languages, &instructions, &terms),
            instructions,
            glossary: Glossary::new(terms).map_err(ApiError::internal)?,
            rejections: Rejections::default(),
            languages,
            language_pair,
            row,
            job,
            result,
        }))
    }

    pub fn source_content(&self) -> Content<'a, Reads> {
        let languages = self.languages;
        Content::new(
            languages.kernel.db.read(),
            &languages.contents.state.objects,
            self.source.space,
        )
    }

    pub fn result_content(&self) -> Content<'a, Reads> {
        let languages = self.languages;
        Content::new(
            languages.kernel.db.read(),
            &languages.contents.state.objects,
            self.result.id,
        )
    }

    pub fn result_id(&self) -> NodeId {
        self.result.id
    }

    /// Finds what has changed since the run before, and what that one left: everything, if translations depend on something
    /// else by now.
    pub async fn work(&self) -> Result<Work, ApiError> {
        let mut content = self.source_content();
        let (last, now) = (self.last.snapshot, self.source.snapshot);
        let structure = content.run(|objects| Changes::between(objects, &last, &now)).await?;
        if self.row.fingerprint.as_ref() == Some(&self.fingerprint) {
            let rest = Rest::of(self.row.incomplete.as_ref())?;
            return Ok(content
                .run(|objects| changed(&Pages::of(objects, now), &structure, &rest))
                .await?);
        }
        let all = content.run(|objects| {
            let pages = Pages::of(objects, now);
            let forest: Forest = pages.forest()?;
            Ok((forest, pages.all_reusable_contents()?))
        });
        let (forest, reusable_contents) = all.await?;
        Ok(Work {
            structure,
            pages: forest.into_pages().collect(),
            reusable_contents,
        })
    }

    pub fn task(&self) -> Task<'_> {
        Task {
            source: &self.language_pair.0,
            target: &self.language_pair.1,
            instructions: &self.instructions,
            glossary: &self.glossary,
            rejections: &self.rejections,
        }
    }

    pub fn key(&self, segment: &Segment) -> MemoryKey {
        let terms = self.glossary.occurring(segment.text());
        let languages = (self.language_pair.0.as_str(), self.language_pair.1.as_str());
        memory_key(segment.text(), languages, &self.instructions, &terms)
    }
}

/// The pages and contents that have changed, and what is left of the run before.
fn changed(pages: &Pages<'_>, structure: &Changes, rest: &Rest) -> Result<Work, Missing> {
    let mut work = Work {
        structure: structure.clone(),
        pages: after(structure.pages.values()),
        reusable_contents: after(structure.reusable_contents.values()),
    };
    for id in rest.pages.iter().filter(|id| !structure.pages.contains_key(id)) {
        work.pages.extend(pages.page(*id)?);
    }
    let contents = rest.reusable_contents.iter();
    for id in contents.filter(|id| !structure.reusable_contents.contains_key(id)) {
        work.reusable_contents.extend(pages.reusable_content(*id)?);
    }
    Ok(work)
}

/// What changes lead to.
fn after<'c, T: Clone + 'c>(changes: impl Iterator<Item = &'c Change<T>>) -> Vec<T> {
    changes.filter_map(|change| change.after.clone()).collect()
}

/// The words of an entry in both languages.
fn term(translations: &serde_json::Value, (source, target): &(String, String)) -> Option<Term> {
    let word = |language: &str| Some(translations.get(language)?.as_str()?.to_owned());
    Some(Term {
        source: word(source)?,
        target: word(target)?,
    })
}

/// The instructions as Markdown; as words alone, if some of them have no form in it.
fn markdown(row: &Model) -> Result<String, ApiError> {
    let document: Document = serde_json::from_value(row.instructions.clone())?;
    let markdown = rich_text::render(&document).unwrap_or_else(|_| {
        let sections = rich_text::extract_sections(&document).into_iter();
        sections
            .map(|section| section.body)
            .collect::<Vec<String>>()
            .join("\n\n")
    });
    Ok(markdown.trim().chars().take(MAX_INSTRUCTIONS).collect())
}

fn fingerprint(languages: &Languages, instructions: &str, terms: &[Term]) -> String {
    let mut hash = Sha256::new();
    let engine = languages.translator.kind().to_value();
    let parts = [engine.as_str(), languages.translator.model(), instructions];
    let terms = terms
        .iter()
        .flat_map(|term| [term.source.as_str(), term.target.as_str()]);
    for part in parts.into_iter().chain(terms) {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part.as_bytes());
    }
    data_encoding::HEXLOWER.encode(&hash.finalize())
}
