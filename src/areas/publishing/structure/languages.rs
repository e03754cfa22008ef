//! The site spaces that are translations of each other.

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId},
    languages::translations::{Column, Entity},
    library::spaces::Language,
    publishing::sites::site_spaces,
};
use openapi::models::Space;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::{areas::publishing::layout::Layout, kernel::wire::ToWire};

/// The translations between some spaces.
#[derive(Default)]
pub struct Languages {
    /// The space that a space is translated from.
    sources: HashMap<NodeId, NodeId>,
    /// The languages of sources, which need not have one otherwise.
    of_sources: HashMap<NodeId, Language>,
    /// The site spaces of sources and results, in the order of the site.
    items: Vec<site_spaces::Model>,
}

impl Languages {
    /// One query; none where no space has a language, which results of translations have.
    pub async fn load(
        db: &impl ConnectionTrait,
        organization: OrganizationId,
        layout: &Layout,
        spaces: &HashMap<NodeId, Space>,
    ) -> Result<Self, DbErr> {
        if spaces.values().all(|space| space.language.is_none()) {
            return Ok(Self::default());
        }
        let ids = || spaces.keys().copied();
        let concerned = Condition::any()
            .add(Column::SourceSpaceId.is_in(ids()))
            .add(Column::ResultSpaceId.is_in(ids()));
        // Not by the organization, whose translations would all be read.
        let found: Vec<(NodeId, Language, NodeId, OrganizationId)> = Entity::find()
            .select_only()
            .columns([
                Column::SourceSpaceId,
                Column::SourceLanguage,
                Column::ResultSpaceId,
                Column::OrganizationId,
            ])
            .filter(concerned)
            .into_tuple()
            .all(db)
            .await?;
        let mut languages = Self::default();
        for (source, language, result, of) in found {
            if of != organization {
                continue;
            }
            languages.sources.insert(result, source);
            languages.of_sources.insert(source, language);
        }
        let items = layout.ordered_site_spaces().into_iter();
        let items = items.filter(|item| languages.concern(item.space_id)).cloned();
        languages.items = items.collect();
        Ok(languages)
    }

    /// Returns whether a space is translated, or a translation.
    fn concern(&self, space: NodeId) -> bool {
        self.sources.contains_key(&space) || self.of_sources.contains_key(&space)
    }

    /// Gives spaces the languages that their translations tell of.
    pub fn complete(&self, spaces: &mut HashMap<NodeId, Space>) {
        for (id, language) in &self.of_sources {
            if let Some(space) = spaces.get_mut(id) {
                space.language.get_or_insert(language.to_wire());
            }
        }
    }

    /// The site spaces with translations of the same content, one for each space: in the section of the site space, where it
    /// has one.
    pub fn others(&self, item: &site_spaces::Model) -> Vec<&site_spaces::Model> {
        let mut others: Vec<&site_spaces::Model> = Vec::new();
        if !self.concern(item.space_id) {
            return others;
        }
        let origin = self.origin(item.space_id);
        let is_other =
            |other: &&site_spaces::Model| other.space_id != item.space_id && self.origin(other.space_id) == origin;
        let found = self.items.iter().filter(is_other);
        let (near, far): (Vec<_>, Vec<_>) = found.partition(|other| other.section_id == item.section_id);
        for other in near.into_iter().chain(far) {
            if others.iter().all(|known| known.space_id != other.space_id) {
                others.push(other);
            }
        }
        others
    }

    /// The space that a space is translated from in the end.
    fn origin(&self, space: NodeId) -> NodeId {
        let mut origin = space;
        // Translations of translations are few; the bound holds whatever the database says.
        for _ in 0..self.sources.len() {
            match self.sources.get(&origin) {
                Some(source) => origin = *source,
                None => break,
            }
        }
        origin
    }
}
