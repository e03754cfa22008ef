//! All redirects of a site in memory, for writes: a site has few of them, and a loop can lead through any.

use std::collections::{HashMap, HashSet};

use entity::{
    ids::{SiteId, SiteRedirectId},
    publishing::sites::redirects::{Column, Entity, Model},
};
use openapi::{
    error::{ApiError, ErrorRule, ErrorType},
    models::{ErrorDetail, SiteRedirectDestination as Destination},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, ConnectionTrait, DbErr, EntityTrait, IntoActiveModel, Iterable, QueryFilter,
    sea_query::OnConflict,
};

use super::{
    matching::{MAX_STEPS, appended, has_wildcard, is_usable, path_in_site, sample, sources_of},
    targets::Targets,
};

const MAX_REDIRECTS: usize = 2000;

pub struct Table {
    rows: HashMap<SiteRedirectId, Model>,
    live: HashMap<String, SiteRedirectId>,
    drafts: HashMap<String, SiteRedirectId>,
    /// The rows in the database.
    stored: HashSet<SiteRedirectId>,
    put: HashSet<SiteRedirectId>,
    removed: HashSet<SiteRedirectId>,
}

/// The reason why a redirect is not stored.
pub enum Refusal {
    Destination(ErrorDetail),
    NoWildcard,
    SourceTaken,
    TooMany,
    Loop,
}

impl Table {
    /// One query.
    pub async fn load(db: &impl ConnectionTrait, site: SiteId) -> Result<Self, DbErr> {
        let rows = Entity::find().filter(Column::SiteId.eq(site)).all(db).await?;
        let sources = |draft: bool| {
            let rows = rows.iter().filter(|row| row.draft == draft);
            rows.map(|row| (row.source.clone(), row.id)).collect()
        };
        Ok(Self {
            live: sources(false),
            drafts: sources(true),
            stored: rows.iter().map(|row| row.id).collect(),
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
            put: HashSet::new(),
            removed: HashSet::new(),
        })
    }

    pub fn rows(&self) -> impl Iterator<Item = &Model> {
        self.rows.values()
    }

    pub fn get(&self, id: SiteRedirectId) -> Option<&Model> {
        self.rows.get(&id)
    }

    pub fn find(&self, draft: bool, source: &str) -> Option<&Model> {
        let sources = if draft { &self.drafts } else { &self.live };
        self.get(*sources.get(source)?)
    }

    /// Adds or changes a redirect, unless a rule forbids it.
    pub fn put(&mut self, row: Model, targets: &Targets) -> Result<(), Refusal> {
        if row.capture_wildcard && !has_wildcard(&row.source) {
            return Err(Refusal::NoWildcard);
        }
        if self
            .find(row.draft, &row.source)
            .is_some_and(|other| other.id != row.id)
        {
            return Err(Refusal::SourceTaken);
        }
        let old = self.rows.get(&row.id).cloned();
        if old.is_none() && self.rows.len() >= MAX_REDIRECTS {
            return Err(Refusal::TooMany);
        }
        self.insert(row.clone());
        if !row.draft && self.is_endless(&row, targets) {
            self.take(row.id);
            old.into_iter().for_each(|old| self.insert(old));
            return Err(Refusal::Loop);
        }
        self.put.insert(row.id);
        Ok(())
    }

    pub fn remove(&mut self, id: SiteRedirectId) {
        self.take(id);
        self.put.remove(&id);
        self.removed.insert(id);
    }

    fn insert(&mut self, row: Model) {
        self.take(row.id);
        let sources = if row.draft { &mut self.drafts } else { &mut self.live };
        sources.insert(row.source.clone(), row.id);
        self.rows.insert(row.id, row);
    }

    fn take(&mut self, id: SiteRedirectId) {
        if let Some(old) = self.rows.remove(&id) {
            let sources = if old.draft { &mut self.drafts } else { &mut self.live };
            sources.remove(&old.source);
        }
    }

    /// Returns whether a path that the redirect leads on from comes to no end.
    fn is_endless(&self, row: &Model, targets: &Targets) -> bool {
        let mut path = sample(&row.source);
        for _ in 0..MAX_STEPS {
            let target = self.leads_on(&path).and_then(|next| target(next, &path, targets));
            match target.and_then(|target| path_in_site(&targets.site_address, &target)) {
                Some(next) => path = next,
                None => return false,
            }
        }
        self.leads_on(&path).is_some()
    }

    /// The redirect for a path.
    fn leads_on(&self, path: &str) -> Option<&Model> {
        let mut found = sources_of(path).filter_map(|source| self.find(false, &source));
        found.find(|row| is_usable(row, path))
    }

    /// Returns whether anything has changed.
    pub fn is_changed(&self) -> bool {
        !self.put.is_empty() || !self.removed.is_empty()
    }

    /// Writes what has changed in two statements at most.
    pub async fn save(&self, db: &impl ConnectionTrait) -> Result<(), DbErr> {
        if !self.removed.is_empty() {
            let removed = Column::Id.is_in(self.removed.iter().copied());
            Entity::delete_many().filter(removed).exec(db).await?;
        }
        let mut rows: Vec<&Model> = self.put.iter().filter_map(|id| self.rows.get(id)).collect();
        if rows.is_empty() {
            return Ok(());
        }
        // A draft that is published leaves its source to a new one.
        rows.sort_by_key(|row| (!self.stored.contains(&row.id), row.id));
        let replace = OnConflict::column(Column::Id).update_columns(Column::iter()).to_owned();
        let rows = rows.into_iter().map(|row| row.clone().into_active_model().reset_all());
        Entity::insert_many(rows)
            .on_conflict(replace)
            .exec_without_returning(db)
            .await?;
        Ok(())
    }
}

fn target(row: &Model, path: &str, targets: &Targets) -> Option<String> {
    let destination: Destination = serde_json::from_value(row.destination.clone()).ok()?;
    targets.address(&destination, appended(row, path))
}

impl Refusal {
    /// The reason for people.
    pub fn message(self) -> String {
        match self {
            Self::Destination(detail) => detail.message,
            Self::NoWildcard => "`captureWildcard` needs a source that ends with `*`.".to_owned(),
            Self::SourceTaken => "`source` is in use by another redirect of the site.".to_owned(),
            Self::TooMany => "A site has at most 2,000 redirects.".to_owned(),
            Self::Loop => {
                format!("The redirect would lead back to itself, or through more than {MAX_STEPS} redirects.")
            }
        }
    }
}

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        let invalid = |pointer, rule, message| Self::invalid_member(pointer, rule, message);
        match refusal {
            Refusal::Destination(detail) => invalid(detail.pointer, detail.code, detail.message),
            Refusal::NoWildcard => invalid(
                "/body/captureWildcard".to_owned(),
                ErrorRule::NoWildcard,
                refusal.message(),
            ),
            Refusal::SourceTaken => Self::new(ErrorType::SourceTaken, refusal.message()),
            Refusal::TooMany => Self::new(ErrorType::TooManyRedirects, refusal.message()),
            Refusal::Loop => invalid(
                "/body/destination".to_owned(),
                ErrorRule::RedirectLoop,
                refusal.message(),
            ),
        }
    }
}
