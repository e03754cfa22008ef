//! Installations, by which spaces follow branches.

use std::collections::HashMap;

use entity::{
    exchange::git_syncs::{self, GitProvider},
    ids::NodeId,
    library::nodes::{self, NodeKind},
    organizations::members::MemberRole,
    publishing::sites::site_spaces,
};
use openapi::{
    answer::Created,
    error::{ApiError, ErrorType},
    models::{
        GitInstallationProvider, GitSyncInstallation, InstallGitSyncProvider, SiteGitSyncInstallations,
        UpdateGitSyncInstallation,
    },
};
use platform::db::Tx;
use sea_orm::{
    ActiveModelTrait, ActiveValue::Set, ColumnTrait, Condition, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, QueryTrait,
};

use super::{automatic, plan, setup::Setup, store, view};
use crate::{
    access::node_levels,
    areas::{
        exchange::{
            Exchange,
            guard::{GitInstallationAccess, GitInstallationTargetAccess},
        },
        library::tree::{self, not_deleted},
        publishing::guard::SiteAccess,
    },
    kernel::{
        audit::{AuditTarget, Changed},
        wire::{ToStored, wire_enums},
    },
};

pub async fn install(
    exchange: &Exchange,
    access: GitInstallationTargetAccess,
    body: InstallGitSyncProvider,
) -> Result<Created<GitSyncInstallation>, ApiError> {
    let kernel = &exchange.kernel;
    let (node, id, now) = (access.node, kernel.ids.next(), kernel.clock.now());
    let (provider, by) = (body.provider.map(ToStored::to_stored), access.caller.user_id);
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        store::ensure(&tx, node.id, node.organization_id, now).await?;
        let row = store::find(&tx, node.id).await?;
        let row = row
            .filter(|row| row.installation_id.is_none())
            .ok_or_else(|| ApiError::new(ErrorType::GitInstalled, "The space has an installation already."))?;
        let mut row = row.into_active_model();
        row.organization_id = Set(node.organization_id);
        row.installation_id = Set(Some(id));
        row.installed_by = Set(Some(by));
        row.installed_at = Set(Some(now));
        row.provider = Set(provider);
        row.updated_at = Set(now);
        let row = row.update(&tx).await?;
        Ok(Changed::of(target(&row, &node), row))
    };
    let row = kernel.write(&access.caller, work).await?;
    let body = view::installation(kernel, row, Setup::default(), true);
    Ok(Created {
        location: body.urls.location.clone(),
        body,
    })
}

pub async fn update(
    exchange: &Exchange,
    access: GitInstallationAccess,
    body: UpdateGitSyncInstallation,
) -> Result<GitSyncInstallation, ApiError> {
    let GitInstallationAccess { caller, row, node } = access;
    let kernel = &exchange.kernel;
    let provider = body.provider.map(ToStored::to_stored).or(row.provider);
    let former = Setup::of(&kernel.secrets, &row)?;
    let url = former.url.clone();
    let setup = former.changed(body, exchange.git.protocols())?;
    let has_moved = url.is_some() && url != setup.url;
    let direction = match setup.request(provider) {
        Some(request) => {
            exchange.require_git().await?;
            Some(plan::first_direction(exchange, &row, &setup, &request).await?)
        }
        None => None,
    };
    let sealed = setup.seal(&kernel.secrets, node.id)?;
    let (ids, now, installation) = (kernel.ids.clone(), kernel.clock.now(), row.installation_id);
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        let row = store::find(&tx, node.id).await?;
        let row = row.filter(|row| row.installation_id == installation);
        let mut row = row.ok_or_else(unknown)?.into_active_model();
        row.setup = Set(Some(sealed));
        row.provider = Set(provider);
        row.updated_at = Set(now);
        if has_moved {
            row.known_hosts = Set(None);
        }
        if direction.is_some() {
            row.next_poll_at = Set(Some(now.plus(store::POLL_INTERVAL)));
            row.failures = Set(0);
            row.failed_direction = Set(None);
            row.problem = Set(None);
            row.is_unauthenticated = Set(false);
        }
        let row = row.update(&tx).await?;
        if let Some(direction) = direction {
            automatic::enqueue(&tx, &ids, vec![(row.clone(), direction)], now, now).await?;
        }
        Ok(Changed::of(target(&row, &node), row))
    };
    let row = kernel.write(&caller, work).await?;
    kernel.jobs.wake();
    Ok(view::installation(kernel, row, setup, true))
}

pub async fn uninstall(exchange: &Exchange, access: GitInstallationAccess) -> Result<(), ApiError> {
    let GitInstallationAccess { caller, row, node } = access;
    let work = move |tx: Tx| async move {
        tree::reload(&tx, &node).await?;
        let of = git_syncs::Column::InstallationId.eq(row.installation_id);
        store::uninstall(&tx, Condition::all().add(of)).await?;
        Ok(Changed::of(target(&row, &node), ()))
    };
    exchange.kernel.write(&caller, work).await
}

/// The installations on the spaces of a site that the caller administers. A site has a limited number of spaces.
pub async fn of_site(exchange: &Exchange, access: &SiteAccess) -> Result<SiteGitSyncInstallations, ApiError> {
    let db = exchange.kernel.db.read();
    let spaces = site_spaces::Entity::find()
        .select_only()
        .column(site_spaces::Column::SpaceId)
        .filter(site_spaces::Column::SiteId.eq(access.row.id));
    let rows = git_syncs::Entity::find()
        .filter(git_syncs::Column::InstallationId.is_not_null())
        .filter(git_syncs::Column::SpaceId.in_subquery(spaces.into_query()))
        .order_by_asc(git_syncs::Column::InstallationId)
        .all(db)
        .await?;
    let ids: Vec<NodeId> = rows.iter().map(|row| row.space_id).collect();
    let nodes: HashMap<NodeId, nodes::Model> = not_deleted(access.row.organization_id, NodeKind::Space)
        .filter(nodes::Column::Id.is_in(ids.iter().copied()))
        .all(db)
        .await?
        .into_iter()
        .map(|node| (node.id, node))
        .collect();
    let levels = node_levels::levels(db, &access.member, ids).await?;
    let is_admin = |row: &git_syncs::Model| {
        let node = nodes.get(&row.space_id);
        node.is_some_and(|node| levels.on(node) == Some(MemberRole::Admin))
    };
    let items = rows.into_iter().filter(is_admin).map(|row| {
        let setup = Setup::of(&exchange.kernel.secrets, &row)?;
        Ok(view::installation(&exchange.kernel, row, setup, false))
    });
    Ok(SiteGitSyncInstallations {
        items: items.collect::<Result<_, ApiError>>()?,
    })
}

pub fn unknown() -> ApiError {
    ApiError::not_found("Git installation")
}

fn target(row: &git_syncs::Model, node: &nodes::Model) -> AuditTarget {
    let id = row.installation_id.map(|id| id.to_string()).unwrap_or_default();
    AuditTarget::in_organization(node.organization_id, "git-sync-installation", id).labelled(&node.title)
}

wire_enums! {
    GitInstallationProvider => GitProvider { Github, Gitlab }
}
