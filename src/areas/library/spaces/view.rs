//! Spaces on the wire.

use entity::{
    library::spaces,
    organizations::members::MemberRole,
    publishing::sites::{SiteVisibility, publishing_auth::VisitorAuthBackend},
};
use openapi::{
    error::ApiError,
    models::{
        self, ContentVisibility, MergeRules, MergeRulesInherit, Space, SpacePermissions, SpaceUrls, VisitorAuth,
        VisitorAuthCustom, VisitorAuthIntegration,
    },
};
use platform::db::count;

use crate::{
    access::rows::SpaceRow,
    areas::joins::space_details::{Publication, SpaceDetails},
    kernel::{
        urls::Urls,
        wire::{ToWire, time, wire_enums},
    },
};

wire_enums! {
    spaces::SpaceEditMode = models::SpaceEditMode { Live, Locked }
    spaces::ContentVisibility = ContentVisibility {
        Public, Unlisted, ShareLink, VisitorAuth, InCollection, Private
    }
    spaces::Language = models::TranslationLanguage {
        En, Fr, De, Es, It, Pt, PtBr, Ru, Ja, Zh, ZhTw, Yue, Ko, Ar, Hi, Nl, Pl, Tr, Sv, No, Da, Fi, El, Cs, Hu, Ro, Th, Vi,
        Id, Ms, He, Uk, Sk, Bg, Hr, Lt, Lv, Et, Sl
    }
}

/// Every space has an emoji: a notebook where none was chosen.
const DEFAULT_EMOJI: &str = "1f4d3";

/// A space as somebody with this level on it sees it.
pub fn space(urls: &Urls, row: SpaceRow, level: Option<MemberRole>, details: &SpaceDetails) -> Result<Space, ApiError> {
    let SpaceRow { node, space } = row;
    let node_id = node.id;
    let publication = details.publication.as_ref();
    let visibility = visibility(space.visibility, publication);
    let published = publication.map(|site| site.address(urls));
    Ok(Space {
        object: Default::default(),
        id: node_id.to_string(),
        title: node.title,
        emoji: space.emoji.unwrap_or_else(|| DEFAULT_EMOJI.to_owned()),
        visibility,
        created_at: time(node.created_at),
        updated_at: time(node.updated_at),
        deleted_at: node.deleted_at.map(time),
        edit_mode: Some(space.edit_mode.to_wire()),
        merge_rules: serde_json::from_value(space.merge_rules)?,
        urls: SpaceUrls {
            location: urls.space(node.id),
            app: urls.space_page(node.id),
            public: published.clone().filter(|_| is_public(visibility)),
            published,
            icon: space.icon,
        },
        organization: node.organization_id.to_string(),
        parent: node.parent_id.map(|parent| parent.to_string()),
        language: space.language.map(ToWire::to_wire),
        git_sync: details.git.as_ref().map(|git| git.state(node_id)),
        visitor_auth: publication.and_then(visitor_auth),
        revision: space.revision_id.to_string(),
        default_level: node.default_level.map(ToWire::to_wire).into(),
        comments: details.open_comments,
        change_requests: count(space.change_requests),
        change_requests_open: count(space.change_requests_open),
        change_requests_draft: count(space.change_requests_draft),
        permissions: permissions(level),
    })
}

/// A space as visitors of a site see it: published by this site, and without its collection, its rules and the work on its content.
pub fn published_space(
    urls: &Urls,
    row: SpaceRow,
    published: Option<String>,
    visibility: SiteVisibility,
) -> Result<Space, ApiError> {
    let visibility = visibility_of(visibility);
    let space = space(urls, row, Some(MemberRole::Read), &SpaceDetails::default())?;
    Ok(Space {
        visibility,
        urls: SpaceUrls {
            public: published.clone().filter(|_| is_public(visibility)),
            published,
            ..space.urls
        },
        merge_rules: MergeRules::MergeRulesInherit(MergeRulesInherit {
            r#type: Default::default(),
        }),
        parent: None,
        default_level: None.into(),
        change_requests: 0,
        change_requests_open: 0,
        change_requests_draft: 0,
        ..space
    })
}

/// The visibility of a space whose row has this one.
pub fn visibility(stored: spaces::ContentVisibility, publication: Option<&Publication>) -> ContentVisibility {
    publication.map_or_else(|| stored.to_wire(), |site| visibility_of(site.visibility))
}

/// Returns whether everyone reads the content.
fn is_public(visibility: ContentVisibility) -> bool {
    matches!(visibility, ContentVisibility::Public | ContentVisibility::Unlisted)
}

/// A published space has the audience of its site.
fn visibility_of(site: SiteVisibility) -> ContentVisibility {
    match site {
        SiteVisibility::Public => ContentVisibility::Public,
        SiteVisibility::Unlisted => ContentVisibility::Unlisted,
        SiteVisibility::ShareLink => ContentVisibility::ShareLink,
        SiteVisibility::VisitorAuth => ContentVisibility::VisitorAuth,
    }
}

/// Of spaces for visitors with a token.
fn visitor_auth(site: &Publication) -> Option<VisitorAuth> {
    match (site.visibility, site.backend) {
        (SiteVisibility::VisitorAuth, VisitorAuthBackend::Custom) => {
            Some(VisitorAuth::VisitorAuthCustom(VisitorAuthCustom {
                backend: Default::default(),
            }))
        }
        (SiteVisibility::VisitorAuth, VisitorAuthBackend::Integration) => {
            let integration = site.integration.clone()?;
            Some(VisitorAuth::VisitorAuthIntegration(VisitorAuthIntegration {
                backend: Default::default(),
                integration,
            }))
        }
        _ => None,
    }
}

/// From the levels that guard the operations.
fn permissions(level: Option<MemberRole>) -> SpacePermissions {
    let at_least = |wanted: MemberRole| level >= Some(wanted);
    let admin = at_least(MemberRole::Admin);
    SpacePermissions {
        view: at_least(MemberRole::Read),
        access: at_least(MemberRole::Read),
        admin,
        view_invite_links: admin,
        edit: at_least(MemberRole::Edit),
        trigger_git_sync: at_least(MemberRole::Edit),
        comment: at_least(MemberRole::Comment),
        merge: at_least(MemberRole::Review),
        review: at_least(MemberRole::Review),
        install_integration: admin,
    }
}
