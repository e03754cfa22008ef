//! Pages of the source, and their texts in the form in which they are kept here.

use std::collections::{HashMap, HashSet};

use chrono::DateTime;
use content::pages::{Cover, Layout, MAX_DEPTH, Order, Page, PageContent, spread};
use entity::{
    ids::{NodeId, PageId},
    library::nodes,
    timestamp::Timestamp,
};
use openapi::models::{ContentRef, ContentRefMedia, PagesSource, TextBody};
use rich_text::front_matter::{PageLayout, PageTag};
use serde_json::{Value, json};
use validator::Validate;

use super::{
    copies::{is_usable, key},
    puller::{id, members, text},
    refs::References,
    report::Report,
    source::Source,
};
use crate::{
    app::App,
    areas::{
        authoring::editor::{PageFields, PageText, apply_front_matter, copied_text, invalid_members},
        content::slugs,
        exchange::{
            import::names::normalize_title,
            pulled::{Present, PulledText, own_id},
        },
    },
};

/// The source of pages that this server computes, too.
pub const OPENAPI: &str = "builtin:openapi";

/// The longest title in characters, as in the contract.
const MAX_TITLE: usize = 255;

/// Where content comes from and goes to.
pub struct At {
    pub there: String,
    pub title: String,
    pub revision: String,
    pub node: nodes::Model,
}

impl At {
    pub fn space(&self) -> NodeId {
        self.node.id
    }
}

/// A page in the tree of the source, those above before those below.
pub struct TreePage<'v> {
    value: &'v Value,
    /// The id of the parent there.
    parent: Option<&'v str>,
    order: Order,
    slug: String,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Document,
    Group,
    Link,
    Computed,
}

/// Lists the pages of a tree that can be copied.
pub fn tree<'v>(pages: Option<&'v Value>, place: &str, report: &mut Report) -> Vec<TreePage<'v>> {
    let (mut found, mut ids) = (Vec::new(), HashSet::new());
    let mut waiting: Vec<(Option<&Value>, &Value, usize)> = pages.map(|pages| (None, pages, 1)).into_iter().collect();
    while let Some((parent, pages, depth)) = waiting.pop() {
        let siblings: Vec<&Value> = pages.as_array().into_iter().flatten().collect();
        let mut slugs = HashSet::new();
        for (page, order) in siblings.iter().zip(spread(siblings.len())) {
            if !is_usable(id(page)) || !ids.insert(id(page)) {
                let why = "it has no id, or that of another page";
                report.not_copied("page", &format!("{} of {place}", text(page, "title")), why);
                continue;
            }
            let source = page.pointer("/computed/type").and_then(Value::as_str);
            if source == Some(OPENAPI) && text(page, "type") == "document" {
                let why = "it is computed and not written by anybody";
                report.not_copied("page", &format!("{} of {place}", text(page, "title")), why);
                continue;
            }
            let kind = match text(page, "type") {
                "group" if parent.is_none() => Kind::Group,
                "link" => Kind::Link,
                "computed" => Kind::Computed,
                _ => Kind::Document,
            };
            let below = page
                .get("pages")
                .and_then(Value::as_array)
                .filter(|below| !below.is_empty());
            if below.is_some() {
                match kind {
                    Kind::Document | Kind::Group if depth < MAX_DEPTH => {
                        waiting.extend(page.get("pages").map(|pages| (Some(*page), pages, depth + 1)));
                    }
                    _ => report.note(format!(
                        "the pages below {} of {place} are not copied",
                        text(page, "title")
                    )),
                }
            }
            found.push(TreePage {
                value: page,
                parent: parent.map(id),
                order,
                slug: unique_slug(page, &mut slugs),
                kind,
            });
        }
    }
    found
}

/// The slug of a page, unless one beside it has the same.
fn unique_slug(page: &Value, taken: &mut HashSet<String>) -> String {
    let named = slugs::reachable(text(page, "slug"));
    let fields = PageFields {
        slug: Some(named.clone().into_owned()),
        ..PageFields::default()
    };
    let slug = match named.is_empty() || !invalid_members(&fields).is_empty() {
        true => slugs::slug_of(text(page, "title")),
        false => named.into_owned(),
    };
    let mut number = 2;
    let mut free = slug.clone();
    while !taken.insert(slugs::folded(&free)) {
        let kept: String = slug.chars().take(90).collect();
        free = format!("{kept}-{number}");
        number += 1;
    }
    free
}

impl TreePage<'_> {
    pub fn title(&self) -> &str {
        text(self.value, "title")
    }

    pub fn key(&self, space: &str) -> String {
        key("page", &format!("{space}/{}", id(self.value)))
    }

    pub fn own(&self, space: NodeId) -> PageId {
        own_id(space, "page", id(self.value))
    }

    pub fn has_text(&self) -> bool {
        self.kind == Kind::Document
    }

    /// Tells whether the text has changed. Empty: nobody knows.
    pub fn state(&self) -> String {
        let document = text(self.value, "documentId");
        match document.is_empty() || !self.has_text() {
            true => String::new(),
            false => format!("{document} {}", text(self.value, "updatedAt")),
        }
    }

    /// Whether a page differs from the one before in nothing but its text and its times.
    pub fn is_same(&self, before: &Page, new: &Page) -> bool {
        let mut before = Page {
            order: new.order.clone(),
            created_at: new.created_at,
            updated_at: new.updated_at,
            ..before.clone()
        };
        before.set_document(new.document());
        before == *new
    }
}

/// Something about one page.
pub struct Note {
    pub text: String,
    /// Whether the next pull tries again.
    pub is_loss: bool,
}

/// The text of a page of the source.
#[derive(Default)]
pub struct Fetched {
    text: PageText,
    note: Option<String>,
}

/// Reads texts of one space.
pub struct Texts<'t> {
    pub app: &'t App,
    pub source: &'t Source,
    pub references: References<'t>,
    pub at: &'t At,
}

impl Texts<'_> {
    /// Reads the text of a page: its nodes, or where this server refuses them its Markdown.
    pub async fn page(&self, page: &TreePage<'_>) -> anyhow::Result<Result<Fetched, String>> {
        let at = self.at;
        let path = format!("spaces/{}/revisions/{}/page/{}", at.there, at.revision, id(page.value));
        let why = match self.source.get(&format!("{path}?format=document")).await? {
            // An empty page has none.
            Ok(answer) if answer.get("document").is_none() && text(page.value, "documentId").is_empty() => {
                return Ok(Ok(Fetched::default()));
            }
            Ok(mut answer) => match self.nodes(answer.get_mut("document").map(Value::take)).await {
                Ok(fetched) => return Ok(Ok(fetched)),
                Err(why) => why,
            },
            Err(refused) => refused.to_string(),
        };
        let markdown = match self.source.get(&format!("{path}?format=markdown")).await? {
            Ok(answer) => answer.get("markdown").and_then(Value::as_str).map(str::to_owned),
            Err(refused) => return Ok(Err(refused.to_string())),
        };
        let body = json!({ "markdown": markdown.unwrap_or_default() });
        Ok(self.parse(body).await.map(|text| Fetched {
            text,
            note: Some(format!(
                "its Markdown was copied instead of its nodes, check its links ({why})"
            )),
        }))
    }

    pub async fn reusable_content(&self, content: &str, document: &str) -> anyhow::Result<Result<PulledText, String>> {
        let at = self.at;
        let of_revision = format!(
            "spaces/{}/revisions/{}/reusable-contents/{content}/document",
            at.there, at.revision
        );
        let mut read = self.source.get(&of_revision).await?;
        if read.is_err() && is_usable(document) {
            read = self
                .source
                .get(&format!("spaces/{}/documents/{document}", at.there))
                .await?;
        }
        Ok(match read {
            Ok(document) => self
                .nodes(Some(document))
                .await
                .map(|fetched| PulledText::New(fetched.text.markdown)),
            Err(refused) => Err(refused.to_string()),
        })
    }

    async fn nodes(&self, document: Option<Value>) -> Result<Fetched, String> {
        let Some(document) = document.filter(|it| !it.is_null()) else {
            return Err("the source shows no nodes".to_owned());
        };
        let mut document = members(&document, &["object", "data", "nodes"]);
        let lost = self.references.rewrite(&mut document);
        let text = self.parse(json!({ "document": document })).await?;
        let note = (lost > 0).then(|| format!("{lost} references lead to something that was not copied"));
        Ok(Fetched { text, note })
    }

    async fn parse(&self, body: Value) -> Result<PageText, String> {
        let body: TextBody = serde_json::from_value(body).map_err(|error| short(&error))?;
        body.validate().map_err(|error| short(&error))?;
        let parsed = copied_text(&self.app.contents, self.at.space(), body).await;
        parsed.map_err(|error| short(&error))
    }

    /// Makes the page here.
    pub async fn build(
        &self,
        page: &TreePage<'_>,
        text: Option<Result<Fetched, String>>,
        present: &Present,
    ) -> (Page, PulledText, Vec<Note>) {
        let (space, own) = (self.at.space(), page.own(self.at.space()));
        let mut notes = Vec::new();
        let title: String = normalize_title(page.title()).chars().take(MAX_TITLE).collect();
        let title = if title.is_empty() { "Untitled".to_owned() } else { title };
        let now = self.app.kernel.clock.now();
        let mut made = Page {
            parent: page.parent.map(|parent| own_id(space, "page", parent)),
            created_at: Some(time(page.value, "createdAt").unwrap_or(now)),
            updated_at: Some(time(page.value, "updatedAt").unwrap_or(now)),
            ..Page::empty(own, page.order.clone(), title, page.slug.clone())
        };
        describe(&mut made, page.value, &mut notes);
        match page.kind {
            Kind::Document => made.content = self.document(page.value, &mut notes),
            Kind::Group => made.content = PageContent::Group,
            Kind::Link => self.link(&mut made, page.value, &mut notes),
            Kind::Computed => self.computed(&mut made, page.value, &mut notes).await,
        }
        let before = present.pages.get(&own).and_then(Page::document);
        let text = match text {
            None => PulledText::Kept(before),
            Some(Ok(fetched)) => {
                apply_front_matter(&mut made, &fetched.text.front);
                let note = |text| Note { text, is_loss: false };
                notes.extend(fetched.note.map(note));
                PulledText::New(fetched.text.below(&made.title, None).into_owned())
            }
            Some(Err(why)) => {
                notes.push(Note {
                    text: format!("its text is not copied: {why}"),
                    is_loss: true,
                });
                PulledText::Kept(before)
            }
        };
        (made, text, notes)
    }

    fn document(&self, value: &Value, notes: &mut Vec<Note>) -> PageContent {
        let mut made = PageContent::of(None);
        if let PageContent::Document {
            layout,
            cover,
            variables,
            tags,
            ..
        } = &mut made
        {
            *layout = layout_of(value.get("layout"));
            *cover = value
                .get("cover")
                .filter(|it| !it.is_null())
                .and_then(|it| self.cover(it));
            if let Some(all) = value.get("variables").and_then(Value::as_object) {
                let all = all.iter();
                *variables = all
                    .map(|(name, it)| (name.clone(), it.as_str().map_or_else(|| it.to_string(), str::to_owned)))
                    .collect();
            }
            let all = value.get("tags").and_then(Value::as_array).into_iter().flatten();
            *tags = all
                .filter_map(|tag| {
                    Some(PageTag {
                        tag: tag.pointer("/tag/tag")?.as_str()?.to_owned(),
                        primary: tag.get("primary").and_then(Value::as_bool).unwrap_or_default(),
                    })
                })
                .collect();
            if cover.is_none() && value.get("cover").is_some_and(|it| !it.is_null()) {
                notes.push(Note {
                    text: "its cover is not copied".to_owned(),
                    is_loss: false,
                });
            }
        }
        made
    }

    fn cover(&self, value: &Value) -> Option<Cover> {
        let mut picture = value.get("ref")?.clone();
        self.references.rewrite(&mut picture);
        let number = |name: &str, usual: f64| value.get(name).and_then(Value::as_f64).unwrap_or(usual);
        Some(Cover {
            picture: serde_json::from_value::<ContentRefMedia>(picture).ok()?,
            y: number("yPos", 0.0),
            height: number("height", content::pages::usual_height()),
        })
    }

    fn link(&self, page: &mut Page, value: &Value, notes: &mut Vec<Note>) {
        let mut target = value.get("target").cloned().unwrap_or_default();
        self.references.rewrite(&mut target);
        match serde_json::from_value::<ContentRef>(target) {
            Ok(target) => {
                page.slug = page.id.to_string();
                page.content = PageContent::Link { target };
            }
            Err(_) => notes.push(Note {
                text: "the target of the link is not copied".to_owned(),
                is_loss: false,
            }),
        }
    }

    async fn computed(&self, page: &mut Page, value: &Value, notes: &mut Vec<Note>) {
        let mut source = value.get("computed").cloned().unwrap_or_default();
        self.references.rewrite(&mut source);
        let place = (self.at.space(), self.at.node.organization_id);
        let known = match serde_json::from_value::<PagesSource>(source) {
            Ok(source) => self.app.contents.known_pages(place, "", source).await.ok(),
            Err(_) => None,
        };
        match known {
            Some((_, pages)) => {
                page.content = PageContent::Computed {
                    source: Box::new(pages),
                }
            }
            None => notes.push(Note {
                text: "the source of its computed pages is not here; an empty page stands in its place".to_owned(),
                // A specification that is processed at the source only later comes with a later pull.
                is_loss: true,
            }),
        }
    }
}

/// Sets the members that describe a page. Those that this server refuses are left out.
fn describe(page: &mut Page, value: &Value, notes: &mut Vec<Note>) {
    let text_of = |name: &str| Some(text(value, name).to_owned()).filter(|it| !it.is_empty());
    let flag = |name: &str| value.get(name).and_then(Value::as_bool);
    let mut fields = PageFields {
        emoji: text_of("emoji"),
        icon: text_of("icon"),
        description: text_of("description"),
        hidden: flag("hidden"),
        no_index: flag("noIndex"),
        no_robots_index: flag("noRobotsIndex"),
        condition: text_of("condition"),
        ..PageFields::default()
    };
    for name in invalid_members(&fields) {
        fields.clear(&name);
        notes.push(Note {
            text: format!("its {name} is not copied, because this server refuses it"),
            is_loss: false,
        });
    }
    page.link_title = text_of("linkTitle");
    fields.apply_to(page);
}

/// The layout of a page; `None`: the usual one.
fn layout_of(value: Option<&Value>) -> Option<PageLayout> {
    let value = value?.as_object()?;
    let mut options: HashMap<&str, Value> = HashMap::new();
    for (name, value) in value {
        match (name.as_str(), value) {
            ("width", Value::String(_)) => drop(options.insert("width", value.clone())),
            (_, Value::Bool(visible)) => drop(options.insert(name, json!({ "visible": visible }))),
            _ => {}
        }
    }
    let mut cover = options.remove("cover").unwrap_or_else(|| json!({}));
    for (member, name) in [("coverSize", "size"), ("coverMask", "mask")] {
        if let (Some(Value::String(word)), Some(cover)) = (value.get(member), cover.as_object_mut()) {
            cover.insert(name.to_owned(), word.clone().into());
        }
    }
    options.insert("cover", cover);
    let layout: PageLayout = serde_json::from_value(json!(options)).ok()?;
    (Layout::from(Some(&layout)) != Layout::default()).then_some(layout)
}

fn time(value: &Value, name: &str) -> Option<Timestamp> {
    let time = DateTime::parse_from_rfc3339(text(value, name)).ok()?;
    Some(Timestamp::from_millis(time.timestamp_millis()))
}

/// The beginning of what an error says.
fn short(error: &impl std::fmt::Display) -> String {
    error.to_string().chars().take(300).collect()
}
