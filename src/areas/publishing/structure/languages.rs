//! The site spaces that are translations of each other.

use std::collections::HashMap;

use entity::{
    ids::{NodeId, OrganizationId},
    sites::site_spaces,
    spaces::Language,
    translations::{Column, Entity},
};
use openapi::models::Space;
use sea_orm::{ColumnTrait, Condition, ConnectionTrait, DbErr, EntityTrait, QueryFilter, QuerySelect};

use crate::app::{site_layout::Layout, wire::ToWire};

/// The translations between some spaces.
#[derive(Default)]
pub struct Languages {
    /// The space that a space is translated from.
    sources: HashMap<NodeId, NodeId>,
    /// The languages of sources, which need not have one otherwise.
    of_sources: HashMap<NodeId, Language>,
}

impl Languages {
    /// One query; none where no space has a language, which results of translations have.
    pub async fn load(
        db: &impl ConnectionTrait,
        organization: OrganizationId,
        spaces: &HashMap<NodeId, Space>,
    ) -> Result<Self, DbErr> {
        if spaces.values().all(|space| space.language.is_none()) {
            return Ok(Self::default());
        }
        let ids = || spaces.keys().copied();
        let concerned = Condition::any()
            .add(Column::SourceSpaceId.is_in(ids()))
            .add(Column::ResultSpaceId.is_in(ids()));
        let found: Vec<(NodeId, Language, NodeId)> = Entity::find()
            .select_only()
            .columns([Column::SourceSpaceId, Column::SourceLanguage, Column::ResultSpaceId])
            .filter(Column::OrganizationId.eq(organization))
            .filter(concerned)
            .into_tuple()
            .all(db)
            .await?;
        let mut languages = Self::default();
        for (source, language, result) in found {
            languages.sources.insert(result, source);
            languages.of_sources.insert(source, language);
        }
        Ok(languages)
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
    pub fn others<'l>(&self, layout: &'l Layout, item: &site_spaces::Model) -> Vec<&'l site_spaces::Model> {
        let origin = self.origin(item.space_id);
        let is_other =
            |other: &&site_spaces::Model| other.space_id != item.space_id && self.origin(other.space_id) == origin;
        let mut others: Vec<&site_spaces::Model> = Vec::new();
        // Spaces without translations are the usual ones.
        if origin == item.space_id && !self.of_sources.contains_key(&origin) {
            return others;
        }
        let all = layout.ordered_site_spaces();
        let (near, far): (Vec<_>, Vec<_>) = all.into_iter().partition(|other| other.section_id == item.section_id);
        for other in near.into_iter().chain(far).filter(is_other) {
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
