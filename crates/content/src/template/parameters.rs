//! The parameters of templates: references whose target is a name, such as `/params/support`.

use std::collections::BTreeMap;

use openapi::{
    error::ApiError,
    models::{ContentRef, ContentRefMedia},
};
use rich_text::{LinkChange, ReferenceRole};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    Template,
    limits::{self, Unusable},
    rewrite,
};
use crate::pages::{Page, PageContent};

/// The beginning of the target of a parameter.
const PREFIX: &str = "/params/";
/// The longest name in characters.
const MAX_NAME: usize = 64;
/// The longest description in characters.
const MAX_DESCRIPTION: usize = 300;
/// The member of the front matter that describes parameters.
const DESCRIPTIONS: &str = "parameters";

/// A target that is a parameter.
#[derive(Debug, PartialEq, Eq)]
pub struct ParameterTarget<'t> {
    pub name: &'t str,
    /// In the page that the parameter stands for.
    pub anchor: Option<&'t str>,
}

impl<'t> ParameterTarget<'t> {
    pub fn parse(target: &'t str) -> Option<Self> {
        let rest = target.strip_prefix(PREFIX)?;
        let (name, anchor) = match rest.split_once('#') {
            Some((name, anchor)) => (name, Some(anchor)),
            None => (rest, None),
        };
        let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let is_name = !name.is_empty() && name.len() <= MAX_NAME && name.chars().all(is_allowed);
        (is_name && anchor != Some("")).then_some(Self { name, anchor })
    }

    /// The kinds of references that fit in a place with this role.
    fn kinds(&self, role: ReferenceRole) -> &'static [Kind] {
        match role {
            ReferenceRole::Link if self.anchor.is_some() => &[Kind::Page],
            ReferenceRole::Link => &[
                Kind::File,
                Kind::Url,
                Kind::Page,
                Kind::Anchor,
                Kind::User,
                Kind::Collection,
                Kind::Space,
                Kind::Openapi,
            ],
            ReferenceRole::Media => &[Kind::File, Kind::Url],
            ReferenceRole::File => &[Kind::File],
            ReferenceRole::ReusableContent => &[Kind::ReusableContent],
            ReferenceRole::Specification => &[Kind::Openapi],
        }
    }
}

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    pub name: String,
    /// The kinds of references that fit in all its places.
    pub kinds: Vec<Kind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// The kind of a reference, by its name on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    File,
    Url,
    Page,
    Anchor,
    User,
    Collection,
    Space,
    ReusableContent,
    Openapi,
}

impl Kind {
    /// `None`: no parameter takes the reference.
    pub fn of(reference: &ContentRef) -> Option<Self> {
        Some(match reference {
            ContentRef::ContentRefFile(_) => Self::File,
            ContentRef::ContentRefUrl(_) => Self::Url,
            ContentRef::ContentRefPage(_) => Self::Page,
            ContentRef::ContentRefAnchor(_) => Self::Anchor,
            ContentRef::ContentRefUser(_) => Self::User,
            ContentRef::ContentRefCollection(_) => Self::Collection,
            ContentRef::ContentRefSpace(_) => Self::Space,
            ContentRef::ContentRefReusableContent(_) => Self::ReusableContent,
            ContentRef::ContentRefOpenApi(_) => Self::Openapi,
            ContentRef::ContentRefTag(_) => return None,
        })
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Url => "url",
            Self::Page => "page",
            Self::Anchor => "anchor",
            Self::User => "user",
            Self::Collection => "collection",
            Self::Space => "space",
            Self::ReusableContent => "reusable-content",
            Self::Openapi => "openapi",
        }
    }
}

impl Template {
    /// Finds the parameters, sorted by name.
    pub fn parameters(&self) -> Result<Result<Vec<Parameter>, Unusable>, ApiError> {
        let mut found = Parameters::default();
        for page in &self.pages {
            found.add_outside(page);
        }
        for text in self.texts.values().filter(|text| text.text().contains(PREFIX)) {
            let mut note = |target: &str, role: ReferenceRole| {
                found.note(target, role);
                LinkChange::Keep
            };
            rewrite(text.text(), &mut note)?;
        }
        Ok(found.finish(&self.pages))
    }
}

/// The kinds of references that fit in all places, by name.
#[derive(Default)]
struct Parameters(BTreeMap<String, Vec<Kind>>);

impl Parameters {
    fn note(&mut self, target: &str, role: ReferenceRole) {
        let Some(parameter) = ParameterTarget::parse(target) else {
            return;
        };
        let kinds = parameter.kinds(role);
        match self.0.get_mut(parameter.name) {
            Some(known) => known.retain(|kind| kinds.contains(kind)),
            None => drop(self.0.insert(parameter.name.to_owned(), kinds.to_vec())),
        }
    }

    /// Notes the parameters of a page that are not part of its text.
    fn add_outside(&mut self, page: &Page) {
        match &page.content {
            PageContent::Document { cover: Some(cover), .. } => {
                if let ContentRefMedia::ContentRefUrl(url) = &cover.picture {
                    self.note(&url.url, ReferenceRole::Media);
                }
            }
            PageContent::Link {
                target: ContentRef::ContentRefUrl(url),
            } => self.note(&url.url, ReferenceRole::Link),
            PageContent::Computed { source } => {
                for specification in source.specifications.values() {
                    self.note(specification, ReferenceRole::Specification);
                }
            }
            PageContent::Document { .. } | PageContent::Link { .. } | PageContent::Group => {}
        }
    }

    fn finish(self, pages: &[Page]) -> Result<Vec<Parameter>, Unusable> {
        limits::check_parameters(self.0.len())?;
        if let Some((name, _)) = self.0.iter().find(|(_, kinds)| kinds.is_empty()) {
            let message = format!("No kind of reference fits in all the places with the parameter `{name}`.");
            return Err(Unusable(message));
        }
        let parameter = |(name, kinds): (String, Vec<Kind>)| Parameter {
            description: description(pages, &name),
            name,
            kinds,
        };
        Ok(self.0.into_iter().map(parameter).collect())
    }
}

/// Returns the description of a parameter: of the first page whose front matter has one.
fn description(pages: &[Page], name: &str) -> Option<String> {
    let described = pages.iter().find_map(|page| match &page.content {
        PageContent::Document { other, .. } => other.get(DESCRIPTIONS)?.get(name)?.as_str(),
        PageContent::Group | PageContent::Link { .. } | PageContent::Computed { .. } => None,
    });
    described.map(|text| text.chars().take(MAX_DESCRIPTION).collect())
}

/// Removes the descriptions from the front matter of a page.
pub fn remove_descriptions(front_matter: &mut Map<String, Value>) {
    if front_matter.get(DESCRIPTIONS).is_some_and(Value::is_object) {
        front_matter.shift_remove(DESCRIPTIONS);
    }
}
