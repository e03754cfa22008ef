//! The members of a change that describe a page, other than its text and position.

use content::pages::{Page, PageContent};
use openapi::{
    models::{EditPage, InsertPage},
    values::Maybe,
};
use rich_text::FrontMatter;

/// Absent members keep their value. An empty string clears emoji, icon, description and condition.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PageFields {
    pub title: Option<String>,
    pub slug: Option<String>,
    pub emoji: Option<String>,
    pub icon: Option<String>,
    pub description: Option<String>,
    pub hidden: Option<bool>,
    pub no_index: Option<bool>,
    pub no_robots_index: Option<bool>,
    pub condition: Option<String>,
}

/// Makes a `$type` from the members that describe a page, which `PageFields` and the changes share, and from its other members.
macro_rules! with_page_fields {
    ($type:ident, $from:expr, { $($other:tt)* }) => {
        $type {
            title: $from.title.clone(),
            slug: $from.slug.clone(),
            emoji: $from.emoji.clone(),
            icon: $from.icon.clone(),
            description: $from.description.clone(),
            hidden: $from.hidden,
            no_index: $from.no_index,
            no_robots_index: $from.no_robots_index,
            condition: $from.condition.clone(),
            $($other)*
        }
    };
}

impl PageFields {
    pub fn of_insert(change: &InsertPage) -> Self {
        with_page_fields!(PageFields, change, {})
    }

    pub fn of_edit(change: &EditPage) -> Self {
        with_page_fields!(PageFields, change, {})
    }

    /// An edit that changes nothing else.
    pub fn to_edit(&self) -> EditPage {
        with_page_fields!(EditPage, self, {
            operation: Default::default(),
            page: String::new(),
            document: None,
            computed: None,
            into: Maybe::Absent,
            at: None,
        })
    }

    /// The values of the front matter take precedence.
    pub fn overridden_by(self, front: &FrontMatter) -> Self {
        Self {
            title: front.title.clone().or(self.title),
            slug: self.slug,
            emoji: front.emoji.clone().or(self.emoji),
            icon: front.icon.clone().or(self.icon),
            description: front.description.clone().or(self.description),
            hidden: front.hidden.or(self.hidden),
            no_index: front.no_index.or(self.no_index),
            no_robots_index: front.no_robots_index.or(self.no_robots_index),
            condition: front.condition.clone().or(self.condition),
        }
    }

    /// Removes the value of a member.
    pub fn clear(&mut self, name: &str) {
        match name {
            "title" => self.title = None,
            "slug" => self.slug = None,
            "emoji" => self.emoji = None,
            "icon" => self.icon = None,
            "description" => self.description = None,
            _ => self.condition = None,
        }
    }

    /// Sets everything except the slug on a page.
    pub fn apply_to(&self, page: &mut Page) {
        if let Some(title) = &self.title {
            page.title.clone_from(title);
        }
        let text = |to: &mut Option<String>, from: &Option<String>| {
            if let Some(from) = from {
                *to = Some(from.clone()).filter(|text| !text.is_empty());
            }
        };
        text(&mut page.emoji, &self.emoji);
        text(&mut page.icon, &self.icon);
        text(&mut page.description, &self.description);
        text(&mut page.condition, &self.condition);
        page.hidden = self.hidden.unwrap_or(page.hidden);
        page.no_index = self.no_index.unwrap_or(page.no_index);
        page.no_robots_index = self.no_robots_index.unwrap_or(page.no_robots_index);
    }
}

/// Sets the members that only front matter has on a page.
pub fn apply_front_matter(page: &mut Page, front: &FrontMatter) {
    if let PageContent::Document {
        layout,
        variables,
        tags,
        other,
        ..
    } = &mut page.content
    {
        if front.layout.is_some() {
            layout.clone_from(&front.layout);
        }
        if let Some(written) = &front.tags {
            tags.clone_from(written);
        }
        other.extend(front.other.clone());
        if !front.variables.is_empty() {
            variables.clone_from(&front.variables);
        }
    }
}
